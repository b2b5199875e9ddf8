package good

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

// Tills counts its holders for ever, and the visits of a till for a day.
type Tills struct {
	rdb *redis.Client
	rs  *redsync.Redsync
}

func (t *Tills) Open(ctx context.Context, till string) (number, visits int64, shut func() error, err error) {
	m := t.rs.NewMutex("lock:till:"+till, redsync.WithExpiry(20*time.Second))
	if err := m.LockContext(ctx); err != nil {
		return 0, 0, nil, err
	}
	shut = func() error {
		ok, err := m.UnlockContext(context.WithoutCancel(ctx))
		if err == nil && !ok {
			err = errStale
		}
		return err
	}
	if number, visits, err = t.count(ctx, till); err != nil {
		return 0, 0, nil, errors.Join(err, shut())
	}
	return number, visits, shut, nil
}

func (t *Tills) count(ctx context.Context, till string) (number, visits int64, err error) {
	if number, err = t.rdb.Incr(ctx, "till:"+till+":number").Result(); err != nil {
		return 0, 0, err
	}
	if visits, err = t.rdb.Incr(ctx, "till:"+till+":visits").Result(); err != nil {
		return 0, 0, err
	}
	return number, visits, t.rdb.Expire(ctx, "till:"+till+":visits", 24*time.Hour).Err()
}

// Cash stores what is the holder's number only.
func (t *Tills) Cash(ctx context.Context, db *sql.DB, till string, cents int) (visits int64, err error) {
	n, visits, shut, err := t.Open(ctx, till) // verdict: fenced
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, shut()) }()
	res, err := db.ExecContext(ctx, price, till, cents, n)
	if err != nil {
		return 0, err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return 0, errors.Join(errStale, err)
	}
	return visits, nil
}
