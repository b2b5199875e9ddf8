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

// Lead lets do start what runs until the lease is lost or ctx ends.
func Lead(ctx context.Context, locker *redislock.Client, key string, do func(context.Context) error) (err error) {
	lease, err := locker.Obtain(ctx, key, time.Minute, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release(context.WithoutCancel(ctx))) }()
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	if err := do(held); err != nil {
		return err
	}
	for {
		select {
		case <-held.Done():
			return held.Err()
		case <-time.After(15 * time.Second):
		}
		if err := lease.Refresh(held, time.Minute, nil); err != nil {
			return err
		}
	}
}
