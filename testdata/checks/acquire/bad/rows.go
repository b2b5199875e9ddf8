package bad

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

// A lock that a database tells of in a row, which is read into a variable; what becomes
// of the variable is the question.

// Vacuum asks only whether there was a value.
type Vacuum struct{ conn *sql.Conn }

func (v *Vacuum) begin(ctx context.Context) error {
	var got sql.NullBool
	if err := v.conn.QueryRowContext(ctx, "SELECT GET_LOCK('vacuum', 10)").Scan(&got); err != nil { // want: acquire
		return err
	}
	if !got.Valid {
		return errors.New("no answer")
	}
	return nil
}

func (v *Vacuum) end(ctx context.Context) error {
	var freed bool
	err := v.conn.QueryRowContext(ctx, "SELECT RELEASE_LOCK('vacuum')").Scan(&freed)
	if err == nil && !freed {
		err = errors.New("not held")
	}
	return err
}

// Vacuumed has the wrapper above, which cannot refuse.
func Vacuumed(ctx context.Context, v *Vacuum, work func(context.Context) error) (err error) {
	if err := v.begin(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.end(context.WithoutCancel(ctx))) }()
	return work(ctx)
}

// Noted tells a log what it got, and nobody else.
func Noted(ctx context.Context, pool *pgxpool.Pool, work func(context.Context) error) (err error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	var ours bool
	row := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", 77) // want: acquire
	if err := row.Scan(&ours); err != nil {
		return fmt.Errorf("try: %w", err)
	}
	log.Printf("got it: %t", ours)
	defer func() {
		_, e := conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", 77)
		err = errors.Join(err, e)
	}()
	return work(ctx)
}

// Reindex looks for a code below zero, which is what another database would answer.
type Reindex struct{ conn *sql.Conn }

func (r *Reindex) enter(ctx context.Context, shard int) error {
	var code int
	err := r.conn.QueryRowContext(ctx, "SELECT GET_LOCK(?, 5)", fmt.Sprint("reindex", shard)).Scan(&code) // want: acquire
	if err != nil {
		return err
	}
	if code < 0 {
		return errors.New("shard is busy")
	}
	return nil
}

// Reindexed does not know better.
func (r *Reindex) Reindexed(ctx context.Context, shard int, work func(context.Context) error) (err error) {
	if err := r.enter(ctx, shard); err != nil {
		return err
	}
	defer func() {
		_, e := r.conn.ExecContext(context.WithoutCancel(ctx), "SELECT RELEASE_LOCK(?)", fmt.Sprint("reindex", shard))
		err = errors.Join(err, e)
	}()
	return work(ctx)
}

// Ticket is what admit hands out, to whoever comes.
type Ticket struct{ at, mark string }

// admit is not named after what it does, but gives the mark away that it stored.
func admit(c redis.Conn, at string) (*Ticket, error) {
	mark := rand.Text()
	if _, err := c.Do("SET", at, mark, "EX", 45, "NX"); err != nil { // want: acquire
		return nil, err
	}
	return &Ticket{at, mark}, nil
}

// Admitted hands the mark back.
func Admitted(c redis.Conn, desk string, serve func() error) (err error) {
	t, err := admit(c, "desk:"+desk)
	if err != nil {
		return err
	}
	defer func() {
		_, e := release.Do(c, t.at, t.mark)
		err = errors.Join(err, e)
	}()
	return serve()
}
