package good

import (
	"context"
	"log/slog"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
)

// batch asks the lock itself until when it holds, and shows it as a time of day.
func batch(ctx context.Context, rs *redsync.Redsync, step func() bool) error {
	m := rs.NewMutex("batch", redsync.WithExpiry(30*time.Second))
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.UnlockContext(context.WithoutCancel(ctx))
	stop := m.Until().Add(-5 * time.Second)
	slog.InfoContext(ctx, "batch", "until", stop.UTC())
	for step() {
		if time.Now().After(stop) {
			return nil
		}
	}
	return nil
}

// day counts from now, by what is left.
func day(ctx context.Context, locker *redislock.Client, midnight time.Time, step func()) error {
	l, err := locker.Obtain(ctx, "day", time.Minute, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	left, err := l.TTL(ctx)
	if err != nil {
		return err
	}
	over := time.Now().Add(left)
	for time.Until(over) > 0 && time.Now().Before(midnight.UTC()) {
		step()
	}
	return nil
}
