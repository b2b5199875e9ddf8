// Package bad has leases of the wrong length, each for another reason. The
// sections run the caller's code.
package bad

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/hashicorp/consul/api"
)

type Config struct {
	LockSeconds int
}

// Bare converts a number of seconds as it is.
func Bare(ctx context.Context, locker *redislock.Client, cfg Config, work func(context.Context) error) error {
	l, err := locker.Obtain(ctx, "bare", time.Duration(cfg.LockSeconds), nil) // want: units
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return work(ctx)
}

// Handed on, the number loses its unit one call earlier.
func Handed(ctx context.Context, locker *redislock.Client, seconds int64, work func(context.Context) error) error {
	return with(ctx, locker, time.Duration(seconds), work) // want: units
}

func with(ctx context.Context, locker *redislock.Client, ttl time.Duration, work func(context.Context) error) error {
	l, err := locker.Obtain(ctx, "handed", ttl, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return work(ctx)
}

// Constant is thirty nanoseconds long.
func Constant(ctx context.Context, locker *redislock.Client, work func(context.Context) error) error {
	l, err := locker.Obtain(ctx, "constant", 30, nil) // want: units
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return work(ctx)
}

// Instant gives the end of the lease in place of its length.
func Instant(ctx context.Context, locker *redislock.Client, work func(context.Context) error) error {
	end := time.Now().Add(time.Minute)
	l, err := locker.Obtain(ctx, "instant", time.Duration(end.UnixNano()), nil) // want: units
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return work(ctx)
}

// Seconds of a duration are a number again.
func Seconds(ctx context.Context, mutex *redsync.Mutex, ttl time.Duration, work func(context.Context) error) error {
	if err := mutex.LockContext(ctx); err != nil {
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() {
		for held.Err() == nil {
			time.Sleep(time.Duration(ttl.Seconds())) // gap: FN units a conversion from a floating-point number is not looked at
			if ok, err := mutex.ExtendContext(held); err != nil || !ok {
				lost(errors.New("lock lost"))
			}
		}
	}()
	return work(held)
}

// Refused asks for less than Consul gives.
func Refused(ctx context.Context, client *api.Client, work func(context.Context) error) error {
	l, err := client.LockOpts(&api.LockOptions{Key: "refused", SessionTTL: "5s"}) // want: units
	if err != nil {
		return err
	}
	lost, err := l.Lock(ctx.Done())
	if err != nil || lost == nil {
		return err
	}
	defer l.Unlock()
	held, stop := context.WithCancel(ctx)
	go func() {
		<-lost
		stop()
	}()
	return work(held)
}
