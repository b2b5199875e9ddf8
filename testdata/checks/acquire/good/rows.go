package good

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"log"

	"github.com/gomodule/redigo/redis"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Counted is told by what the row holds.
type Counted struct {
	conn *sql.Conn
	ours bool
}

func (c *Counted) begin(ctx context.Context) error {
	var got sql.NullInt64
	if err := c.conn.QueryRowContext(ctx, "SELECT GET_LOCK('count', 10)").Scan(&got); err != nil {
		return err
	}
	if !got.Valid || got.Int64 != 1 {
		return errBusy
	}
	return nil
}

// remember keeps the answer, for others to ask.
func (c *Counted) remember(ctx context.Context) error {
	return c.conn.QueryRowContext(ctx, "SELECT GET_LOCK('count', 0)").Scan(&c.ours)
}

// Remembered asks it.
func Remembered(ctx context.Context, c *Counted, work func(context.Context) error) error {
	if err := c.remember(ctx); err != nil || !c.ours {
		return err
	}
	defer c.conn.ExecContext(context.WithoutCancel(ctx), "SELECT RELEASE_LOCK('count')")
	return work(ctx)
}

// CountedOnce uses it.
func CountedOnce(ctx context.Context, c *Counted, work func(context.Context) error) error {
	if err := c.begin(ctx); err != nil {
		return err
	}
	defer c.conn.ExecContext(context.WithoutCancel(ctx), "SELECT RELEASE_LOCK('count')")
	return work(ctx)
}

// Waited needs no answer: the function waits, or fails.
func Waited(ctx context.Context, pool *pgxpool.Pool, work func(context.Context) error) (err error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	var none any
	if err := conn.QueryRow(ctx, "SELECT pg_advisory_lock($1)", 78).Scan(&none); err != nil {
		return err
	}
	defer func() {
		_, e := conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", 78)
		err = errors.Join(err, e)
	}()
	return work(ctx)
}

// Coded reads a code, and logs it where it is none that it knows.
func Coded(ctx context.Context, conn *sql.Conn, work func(context.Context) error) (err error) {
	var code int
	if err := conn.QueryRowContext(ctx, "SELECT GET_LOCK('coded', 5)").Scan(&code); err != nil {
		return fmt.Errorf("coded: %w", err)
	}
	if code < 1 {
		log.Printf("coded: %d", code)
		return errBusy
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), "SELECT RELEASE_LOCK('coded')")
	return work(ctx)
}

// Badge is handed to whoever the reply says yes to.
type Badge struct{ at, mark string }

func badge(c redis.Conn, at string) (*Badge, error) {
	mark := rand.Text()
	reply, err := redis.String(c.Do("SET", at, mark, "EX", 45, "NX"))
	if errors.Is(err, redis.ErrNil) || err == nil && reply != "OK" {
		return nil, errBusy
	}
	if err != nil {
		return nil, err
	}
	return &Badge{at, mark}, nil
}

// Badged hands the mark back.
func Badged(c redis.Conn, door string, serve func() error) (err error) {
	b, err := badge(c, "door:"+door)
	if err != nil {
		return err
	}
	defer func() {
		_, e := release.Do(c, b.at, b.mark)
		err = errors.Join(err, e)
	}()
	return serve()
}

// Login is a login that is stored under an id of its own: nobody else has that.
func Login(c redis.Conn, user string) (string, error) {
	id := rand.Text()
	_, err := c.Do("SET", "session:"+id, user, "EX", 3600, "NX")
	return id, err
}
