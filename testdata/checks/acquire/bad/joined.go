package bad

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/bsm/redislock"
	"github.com/hashicorp/consul/api"
)

// The error that tells whether the lock was taken is the result that a deferred
// release adds to.

// Drained waits until somebody closes stop, and takes the end of waiting for the lock.
func Drained(stop <-chan struct{}, client *api.Client, drain func(context.Context) error) (err error) {
	sem, err := client.SemaphorePrefix("drain", 1)
	if err != nil {
		return err
	}
	gone, err := sem.Acquire(stop) // want: acquire
	if err != nil {
		return err
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

// Swept says that somebody else sweeps, and sweeps.
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
	l, err = locks.Obtain(ctx, "sweep", time.Minute, nil) // want: acquire
	if err != nil {
		log.Printf("sweep: %v", err)
	}
	return sweep(ctx)
}
