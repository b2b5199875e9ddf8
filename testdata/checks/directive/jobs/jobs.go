// Package jobs takes locks for jobs that may run twice: the decision stands on the wrappers, for all who call them.
package jobs

import (
	"context"
	"time"

	"github.com/bsm/redislock"
)

// Once runs job unless another instance does.
//
//fencevet:efficiency owner=platform the jobs only fill caches
func Once(ctx context.Context, locker *redislock.Client, name string, job func(context.Context) error) error {
	l, err := locker.Obtain(ctx, "job:"+name, time.Minute, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return job(ctx)
}

// Hold takes the lock of name; the caller gives it back.
//
//fencevet:efficiency owner=platform the jobs only fill caches
func Hold(ctx context.Context, locker *redislock.Client, name string) (*redislock.Lock, error) {
	return locker.Obtain(ctx, "job:"+name, time.Minute, nil)
}
