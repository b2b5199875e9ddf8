package good

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/robfig/cron/v3"
)

// Bounded gives the work a deadline. Once it is made, a context counts by its own
// timer, whatever the time of day was that it was given.
func Bounded(ctx context.Context, locks *redislock.Client, ttl time.Duration, work func(context.Context) error) error {
	l, err := locks.Obtain(ctx, "bounded", ttl, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	held, cancel := context.WithDeadline(ctx, time.Now().UTC().Add(ttl))
	defer cancel()
	return work(held)
}

// Scheduled asks when a job is due, which is a matter of the time of day.
func Scheduled(ctx context.Context, locks *redislock.Client, spec cron.Schedule, last time.Time, work func(context.Context) error) error {
	if time.Now().UTC().Before(spec.Next(last)) {
		return nil
	}
	l, err := locks.Obtain(ctx, "scheduled", time.Minute, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return work(ctx)
}
