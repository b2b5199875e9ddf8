package good

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/bsm/redislock"
	"github.com/hashicorp/consul/api"
)

// Drained tells a channel from none.
func Drained(stop <-chan struct{}, client *api.Client, drain func(context.Context) error) (err error) {
	sem, err := client.SemaphorePrefix("drain", 1)
	if err != nil {
		return err
	}
	gone, err := sem.Acquire(stop)
	if err != nil {
		return err
	}
	if gone == nil {
		return errors.New("stopped")
	}
	defer func() { err = errors.Join(err, sem.Release()) }()
	ctx, end := context.WithCancel(context.Background())
	defer end()
	go func() {
		select {
		case <-gone:
			end()
		case <-ctx.Done():
		}
	}()
	return drain(ctx)
}

// Swept leaves the work to whoever has the lock.
func Swept(ctx context.Context, locks *redislock.Client, sweep func(context.Context) error) (err error) {
	if err = ctx.Err(); err != nil {
		return err
	}
	var l *redislock.Lock
	defer func() {
		if l != nil {
			err = errors.Join(err, l.Release(context.WithoutCancel(ctx)))
		}
	}()
	l, err = locks.Obtain(ctx, "sweep", time.Minute, nil)
	if err != nil {
		log.Printf("sweep: %v", err)
		return err
	}
	return sweep(ctx)
}

// Forwarded hands the error on to the work, which knows what to do without the lock.
func Forwarded(ctx context.Context, locks *redislock.Client, sweep func(context.Context, error) error) (err error) {
	l, err := locks.Obtain(ctx, "forwarded", time.Minute, nil)
	defer func() {
		if l != nil {
			err = errors.Join(err, l.Release(context.WithoutCancel(ctx)))
		}
	}()
	return sweep(ctx, err)
}
