package bad

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

// A latch is what Workshops need of a mutex; tests have one of their own.
type latch interface {
	LockContext(ctx context.Context) error
	UnlockContext(ctx context.Context) (bool, error)
}

// Workshops repair one thing at a time.
type Workshops struct {
	latch latch
	db    *sql.DB
}

// NewWorkshops locks by Redis.
func NewWorkshops(rs *redsync.Redsync, db *sql.DB) *Workshops {
	return &Workshops{latch: rs.NewMutex("workshop", redsync.WithExpiry(20*time.Second)), db: db}
}

// Repair writes what was repaired.
func (w *Workshops) Repair(ctx context.Context, thing string) (err error) {
	if err := w.latch.LockContext(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() {
		_, e := w.latch.UnlockContext(context.WithoutCancel(ctx))
		err = errors.Join(err, e)
	}()
	_, err = w.db.ExecContext(ctx, "UPDATE thing SET repaired = true WHERE id = $1", thing) // want: unfenced
	return err
}

// Benches are locked by a command whose refusal is an error, redis.Nil.
type Benches struct {
	rdb redis.UniversalClient
	db  *sql.DB
}

func (b *Benches) lock(ctx context.Context, bench, who string) (bool, error) {
	err := b.rdb.SetArgs(ctx, "lock:bench:"+bench, who, redis.SetArgs{Mode: "NX", TTL: 30 * time.Second}).Err()
	switch {
	case errors.Is(err, redis.Nil):
		return false, nil
	case err != nil:
		return false, err
	}
	return true, nil
}

var leaveBench = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Clear takes what lies on the bench away.
func (b *Benches) Clear(ctx context.Context, bench, who string) (err error) {
	mine, err := b.lock(ctx, bench, who) // verdict: unfenced
	if err != nil {
		return err
	}
	if !mine {
		return errors.New("somebody works there")
	}
	defer func() {
		err = errors.Join(err, leaveBench.Run(context.WithoutCancel(ctx), b.rdb, []string{"lock:bench:" + bench}, who).Err())
	}()
	_, err = b.db.ExecContext(ctx, "UPDATE bench SET cleared = cleared + 1 WHERE id = $1", bench) // want: unfenced
	return err
}
