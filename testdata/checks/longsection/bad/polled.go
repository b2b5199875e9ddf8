package bad

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
)

// machine is what takes its time to come up.
type machine interface {
	Up(ctx context.Context) (bool, error)
}

// Boot gives each question five seconds, and asks as long as it takes.
func Boot(ctx context.Context, locks *redislock.Client, m machine) (err error) {
	lock, err := locks.Obtain(ctx, "lock:boot", time.Minute, nil) // want: longsection // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	for {
		up, err := asked(ctx, m)
		if err != nil || up {
			return err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func asked(ctx context.Context, m machine) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return m.Up(ctx)
}

// Warm gives up, but long after the lease is over.
func Warm(ctx context.Context, locks *redislock.Client, m machine) (err error) {
	lock, err := locks.Obtain(ctx, "lock:warm", time.Minute, nil) // want: longsection // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		if up, err := m.Up(ctx); err != nil || up {
			return err
		}
		time.Sleep(time.Second)
	}
	return ctx.Err()
}
