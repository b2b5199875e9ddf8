// Package under runs functions under a lock.
package under

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
)

// Lock gives the lock back when the function has returned.
func Lock(ctx context.Context, locker *redislock.Client, key string, do func(context.Context) error) (err error) {
	lease, err := locker.Obtain(ctx, key, time.Minute, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release(context.WithoutCancel(ctx))) }()
	return do(ctx)
}

// Kept does so with a lease that it keeps alive in the meantime.
func Kept(ctx context.Context, locker *redislock.Client, key string, do func(context.Context) error) error {
	lease, err := locker.Obtain(ctx, key, time.Minute, nil)
	if err != nil {
		return err
	}
	held, lost := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-held.Done():
				return
			case <-time.After(15 * time.Second):
				if err := lease.Refresh(held, time.Minute, nil); err != nil {
					lost(err)
					return
				}
			}
		}
	}()
	err = do(held)
	lost(nil)
	<-done
	return errors.Join(err, lease.Release(context.WithoutCancel(ctx)))
}
