package bad

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/bsm/redislock"
	"golang.org/x/sync/errgroup"
)

// Order cancels first: deferred calls run last in, first out.
func Order(parent context.Context, locker *redislock.Client, job Job) error {
	ctx, cancel := context.WithCancel(parent)
	lease, err := locker.Obtain(ctx, "order", time.Minute, nil) // verdict: unverified
	if err != nil {
		cancel()
		return err
	}
	defer lease.Release(ctx) // want: release
	defer cancel()
	return job.Run(ctx)
}

// Stopped waits for the end of the context and then uses it.
func Stopped(ctx context.Context, locker *redislock.Client, job Job) error {
	lease, err := locker.Obtain(ctx, "stopped", time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	err = job.Run(ctx)
	<-ctx.Done()
	return errors.Join(err, lease.Release(ctx)) // want: release
}

// Deadline bounds the work, and the release with it.
func Deadline(ctx context.Context, locker *redislock.Client, job Job) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	lease, err := locker.Obtain(ctx, "deadline", 2*time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, lease.Release(ctx)) // want: release
	}()
	return job.Run(ctx)
}

// Group waits for the group, whose context ends with it.
func Group(parent context.Context, locker *redislock.Client, job Job) error {
	group, ctx := errgroup.WithContext(parent)
	lease, err := locker.Obtain(ctx, "group", time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	group.Go(func() error { return job.Run(ctx) })
	err = group.Wait()
	return errors.Join(err, lease.Release(ctx)) // want: release
}

// Request: the client may hang up.
func Request(r *http.Request, locker *redislock.Client, job Job) (err error) {
	lease, err := locker.Obtain(r.Context(), "request", time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release(r.Context())) }() // note: release
	return job.Run(r.Context())
}
