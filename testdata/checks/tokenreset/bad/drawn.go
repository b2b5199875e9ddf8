package bad

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

// Tills locks a till and numbers its holders, each in its own way.
type Tills struct {
	rdb *redis.Client
	rs  *redsync.Redsync
}

// Open counts in a helper that forgets the counter after a day.
func (t *Tills) Open(ctx context.Context, till string) (number int64, shut func() error, err error) {
	m := t.rs.NewMutex("lock:till:"+till, redsync.WithExpiry(20*time.Second))
	if err := m.LockContext(ctx); err != nil {
		return 0, nil, err
	}
	shut = func() error {
		ok, err := m.UnlockContext(context.WithoutCancel(ctx))
		if err == nil && !ok {
			err = errStale
		}
		return err
	}
	if number, err = t.count(ctx, till); err != nil {
		return 0, nil, errors.Join(err, shut())
	}
	return number, shut, nil
}

func (t *Tills) count(ctx context.Context, till string) (int64, error) {
	n, err := t.rdb.Incr(ctx, "till:"+till+":number").Result()
	if err == nil && n == 1 {
		err = t.rdb.Expire(ctx, "till:"+till+":number", 24*time.Hour).Err() // want: tokenreset
	}
	return n, err
}

// Cash uses the number, and so does Refund: it is told once.
func (t *Tills) Cash(ctx context.Context, db *sql.DB, till string, cents int) (err error) {
	n, shut, err := t.Open(ctx, till) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shut()) }()
	return guarded(ctx, db, till, cents, n)
}

func (t *Tills) Refund(ctx context.Context, db *sql.DB, till string, cents int) (err error) {
	n, shut, err := t.Open(ctx, till) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shut()) }()
	return guarded(ctx, db, till, -cents, n)
}

// Seeded makes the counter with an end, where it is not there.
func Seeded(ctx context.Context, rdb *redis.Client, db *sql.DB, sku string, cents int) error {
	me := rand.Text()
	ok, err := rdb.SetNX(ctx, "lock:seeded:"+sku, me, time.Minute).Result() // verdict: fenced
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer compareAndDelete.Run(context.WithoutCancel(ctx), rdb, []string{"lock:seeded:" + sku}, me)
	if err := rdb.SetNX(ctx, "seeded:"+sku, 0, time.Hour).Err(); err != nil { // want: tokenreset
		return err
	}
	n, err := rdb.Incr(ctx, "seeded:"+sku).Result()
	if err != nil {
		return err
	}
	return guarded(ctx, db, sku, cents, n)
}
