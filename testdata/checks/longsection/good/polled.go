package good

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// machine is what takes its time to come up.
type machine interface {
	Up(ctx context.Context) (bool, error)
}

// Boot asks once a second, and no longer than its context lives.
func Boot(ctx context.Context, locks *redislock.Client, m machine) (err error) {
	lock, err := locks.Obtain(ctx, "lock:boot", time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	short, cancel := context.WithTimeout(ctx, 40*time.Second)
	defer cancel()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		up, err := m.Up(short)
		if err != nil || up {
			return err
		}
		select {
		case <-tick.C:
		case <-short.Done():
			return context.Cause(short)
		}
	}
}

// Settle asks its context at the head of the loop.
func Settle(ctx context.Context, rdb *redis.Client, settled func() bool) (err error) {
	owner := rand.Text()
	ok, err := rdb.SetNX(ctx, "lock:settle", owner, 20*time.Second).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() { err = errors.Join(err, free(context.WithoutCancel(ctx), rdb, "lock:settle", owner)) }()

	ctx, cancel := context.WithDeadline(ctx, time.Now().Add(15*time.Second))
	defer cancel()
	for ctx.Err() == nil {
		if settled() {
			return nil
		}
		time.Sleep(250 * time.Millisecond)
	}
	return ctx.Err()
}

// Warm leaves it to a helper to wait, which gives up with the context.
func Warm(ctx context.Context, locks *redislock.Client, m machine) (err error) {
	lock, err := locks.Obtain(ctx, "lock:warm", time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return until(ctx, m)
}

func until(ctx context.Context, m machine) error {
	for {
		up, err := m.Up(ctx)
		if err != nil {
			return err
		}
		if up {
			return nil
		}
		if err := pause(ctx, time.Second); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
