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

// Settle sleeps for as long as the lease lasts.
func Settle(ctx context.Context, rdb *redis.Client, db *sql.DB) (n int, err error) {
	owner := rand.Text()
	ok, err := rdb.SetNX(ctx, "lock:settle", owner, 30*time.Second).Result() // want: longsection // verdict: no-visible-write
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, errBusy
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, "lock:settle", owner)) }()

	time.Sleep(30 * time.Second) // until the replicas have caught up
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM replica_state").Scan(&n)
	return n, err
}

const (
	lease    = 5 * time.Second
	interval = 2 * time.Second
)

// Poll: three waits of two seconds outlast five.
func Poll(ctx context.Context, rs *redsync.Redsync, db *sql.DB) (ready bool, err error) {
	mutex := rs.NewMutex("lock:poll", redsync.WithExpiry(lease))
	if err := mutex.LockContext(ctx); err != nil { // want: longsection // verdict: no-visible-write
		return false, err
	}
	defer func() { err = errors.Join(err, unlock(ctx, mutex)) }()

	for range 3 {
		if err := db.QueryRowContext(ctx, "SELECT ready FROM status").Scan(&ready); err != nil || ready {
			return ready, err
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(interval):
		}
	}
	return false, nil
}

// Default: redsync leases last eight seconds where nothing else is said.
func Default(ctx context.Context, rs *redsync.Redsync, db *sql.DB) (n int, err error) {
	mutex := rs.NewMutex("lock:default")
	if err := mutex.LockContext(ctx); err != nil { // want: longsection // verdict: no-visible-write
		return 0, err
	}
	defer func() { err = errors.Join(err, unlock(ctx, mutex)) }()
	pause()
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM visit").Scan(&n)
	return n, err
}

// pause is the sleep of another function.
func pause() { time.Sleep(10 * time.Second) }

// Touch renews something, but not the lock.
func Touch(ctx context.Context, rdb *redis.Client, id string) (err error) {
	owner := rand.Text()
	ok, err := rdb.SetNX(ctx, "lock:touch:"+id, owner, 5*time.Second).Result() // want: longsection // verdict: unfenced
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, "lock:touch:"+id, owner)) }()
	time.Sleep(10 * time.Second)
	return rdb.Expire(ctx, "visit:"+id, time.Hour).Err() // want: unfenced
}
