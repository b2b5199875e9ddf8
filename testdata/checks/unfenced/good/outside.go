package good

import (
	"context"
	"time"

	"github.com/bsm/redislock"
)

// Poller is implemented outside of this module.
type Poller interface {
	Poll() error
	Count() (int, error)
	Close() error
}

// Polled: nobody knows what is done where a method only succeeds or fails.
func Polled(ctx context.Context, locks *redislock.Client, p Poller) error {
	l, err := locks.Obtain(ctx, "polled", time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return all(p)
}

func all(pollers ...Poller) error {
	for _, p := range pollers {
		if err := p.Poll(); err != nil {
			return err
		}
	}
	return nil
}

// alone runs work under the lock.
func alone(ctx context.Context, locks *redislock.Client, key string, work func() error) error {
	l, err := locks.Obtain(ctx, key, time.Minute, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return work()
}

// Handed does the same through a wrapper.
func Handed(ctx context.Context, locks *redislock.Client, p Poller) error {
	return alone(ctx, locks, "handed", func() error { return p.Poll() }) // verdict: unverified
}

// Counted asks for a number, and that is all.
func Counted(ctx context.Context, locks *redislock.Client, p Poller) (int, error) {
	l, err := locks.Obtain(ctx, "counted", time.Minute, nil) // verdict: no-visible-write
	if err != nil {
		return 0, err
	}
	defer l.Release(context.WithoutCancel(ctx))
	defer p.Close()
	return p.Count()
}
