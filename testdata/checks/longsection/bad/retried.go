package bad

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// A Ferry crosses when the weather allows.
type Ferry interface {
	Cross(ctx context.Context) error
}

var tides = [...]time.Duration{20 * time.Second, 3 * time.Minute, 15 * time.Minute}

// Sail waits for the next tide, under a lock that is not there any more by then.
func Sail(ctx context.Context, locker *redislock.Client, ferry Ferry) error {
	l, err := locker.Obtain(ctx, "pier", time.Minute, nil) // want: longsection // verdict: unverified
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	for i := 0; ; i++ {
		err := ferry.Cross(ctx)
		if err == nil || i == len(tides) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(tides[i]):
		}
	}
}

// Row waits for less each time, but for too long altogether.
func Row(ctx context.Context, rdb *redis.Client, ferry Ferry, me string) (err error) {
	won, err := rdb.SetNX(ctx, "lock:row", me, time.Minute).Result() // want: longsection // verdict: unverified
	if err != nil || !won {
		return errors.Join(err, errBusy)
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, "lock:row", me)) }()
	for _, calm := range []time.Duration{15 * time.Second, 20 * time.Second, 30 * time.Second} {
		if err = ferry.Cross(ctx); err == nil {
			return nil
		}
		time.Sleep(calm)
	}
	return ferry.Cross(ctx)
}

// Drift doubles its wait.
func Drift(ctx context.Context, locker *redislock.Client, ferry Ferry) (err error) {
	l, err := locker.Obtain(ctx, "drift", time.Minute, nil) // want: longsection // verdict: unverified
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	wait := 2 * time.Second
	for range 6 {
		if err = ferry.Cross(ctx); err == nil {
			return nil
		}
		time.Sleep(wait)
		wait *= 2
	}
	return err
}

// Anchor tries for ever, at last every two minutes.
func Anchor(ctx context.Context, locker *redislock.Client, ferry Ferry) error {
	l, err := locker.Obtain(ctx, "anchor", time.Minute, nil) // want: longsection // verdict: unverified
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	for wait := time.Second; ; {
		if err := ferry.Cross(ctx); err == nil {
			return nil
		}
		time.Sleep(wait)
		if wait *= 2; wait > 2*time.Minute {
			wait = 2 * time.Minute
		}
	}
}
