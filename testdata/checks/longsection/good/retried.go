package good

import (
	"context"
	"time"

	"github.com/bsm/redislock"
)

// A Ferry crosses when the weather allows.
type Ferry interface {
	Cross(ctx context.Context) error
}

var tides = []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second}

// Sail is done before its lock is.
func Sail(ctx context.Context, locker *redislock.Client, ferry Ferry) error {
	l, err := locker.Obtain(ctx, "pier", time.Minute, nil) // verdict: unverified
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

// Drift may wait for longer in the end, but tries too seldom to come there.
func Drift(ctx context.Context, locker *redislock.Client, ferry Ferry) (err error) {
	l, err := locker.Obtain(ctx, "drift", time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	wait := 2 * time.Second
	for range 4 {
		if err = ferry.Cross(ctx); err == nil {
			return nil
		}
		time.Sleep(wait)
		wait = min(wait*2, 5*time.Minute)
	}
	return err
}

var seasons = []time.Duration{time.Minute, time.Hour, 24 * time.Hour}

// Winter has a deadline that comes before the end of the lock, whatever it waits for.
func Winter(ctx context.Context, locker *redislock.Client, ferry Ferry) error {
	l, err := locker.Obtain(ctx, "winter", time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	ctx, cancel := context.WithTimeout(ctx, 50*time.Second)
	defer cancel()
	for i := range seasons {
		if err = ferry.Cross(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(seasons[i]):
		}
	}
	return err
}

// Berth waits in the same way, but for its lock.
func Berth(ctx context.Context, locker *redislock.Client, ferry Ferry) error {
	var l *redislock.Lock
	var err error
	for _, wait := range seasons {
		if l, err = locker.Obtain(ctx, "berth", time.Minute, nil); err == nil { // verdict: unverified
			break
		}
		time.Sleep(wait)
	}
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return ferry.Cross(ctx)
}
