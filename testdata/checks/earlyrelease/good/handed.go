package good

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/bsm/redislock"
)

// Spawn comes back when the feed is through.
func Spawn(ctx context.Context, locker *redislock.Client, busy *sync.WaitGroup, feed func(context.Context) error) (err error) {
	lease, err := locker.Obtain(ctx, "feed", time.Minute, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release(context.WithoutCancel(ctx))) }()
	busy.Add(1)
	go func() {
		defer busy.Done()
		_ = feed(ctx)
	}()
	busy.Wait()
	return nil
}

// Carried leaves the lock to the goroutine as well.
func Carried(ctx context.Context, locker *redislock.Client, feed func(context.Context) error) error {
	lease, err := locker.Obtain(ctx, "feed", time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	go func() {
		defer lease.Release(context.WithoutCancel(ctx))
		_ = feed(ctx)
	}()
	return nil
}

// Measured tells in the background how it goes, and feeds in front.
func Measured(ctx context.Context, locker *redislock.Client, progress func(time.Duration), feed func(context.Context) error) (err error) {
	lease, err := locker.Obtain(ctx, "feed", time.Minute, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release(context.WithoutCancel(ctx))) }()
	start := time.Now()
	go func() { progress(time.Since(start)) }()
	return feed(ctx)
}
