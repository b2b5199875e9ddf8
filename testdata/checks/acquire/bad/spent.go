package bad

import (
	"context"
	"crypto/rand"
	"database/sql"
	"time"

	"github.com/redis/go-redis/v9"
)

var putBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// patient tries five times, and goes on after the last of them.
func patient(ctx context.Context, rdb *redis.Client, key string) (func(context.Context) error, error) {
	me := rand.Text()
	for range 5 {
		ok, err := rdb.SetNX(ctx, key, me, time.Minute).Result() // want: acquire
		if err != nil {
			return nil, err
		}
		if ok {
			break
		}
		time.Sleep(time.Second)
	}
	return func(ctx context.Context) error { return putBack.Run(ctx, rdb, []string{key}, me).Err() }, nil
}

// Patient works all the same.
func Patient(ctx context.Context, rdb *redis.Client, work func(context.Context) error) error {
	free, err := patient(ctx, rdb, "lock:patient")
	if err != nil {
		return err
	}
	defer free(context.WithoutCancel(ctx))
	return work(ctx)
}

// Deafness runs a statement that answers by a row, and drops the row.
type Deafness struct{ conn *sql.Conn }

func (d *Deafness) lock(ctx context.Context) error {
	_, err := d.conn.ExecContext(ctx, "SELECT GET_LOCK('deafness', 5)") // want: acquire
	return err
}

func (d *Deafness) unlock(ctx context.Context) error {
	var n sql.NullInt64
	return d.conn.QueryRowContext(ctx, "SELECT RELEASE_LOCK('deafness')").Scan(&n)
}

// Work goes on whatever the answer was.
func (d *Deafness) Work(ctx context.Context, work func(context.Context) error) error {
	if err := d.lock(ctx); err != nil {
		return err
	}
	defer d.unlock(context.WithoutCancel(ctx))
	return work(ctx)
}
