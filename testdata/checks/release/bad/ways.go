package bad

import (
	"context"
	"errors"
	"log"
	"os"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
)

// Forgotten returns an error and keeps the lock.
func Forgotten(ctx context.Context, rs *redsync.Redsync, job Job) error {
	mutex := rs.NewMutex("forgotten")
	if err := mutex.LockContext(ctx); err != nil { // want: release // verdict: unverified
		return err
	}
	due, err := job.Due(ctx)
	if err != nil {
		return err
	}
	if due {
		err = job.Run(ctx)
	}
	_, e := mutex.UnlockContext(context.WithoutCancel(ctx))
	return errors.Join(err, e)
}

// Either returns an error of two kinds and keeps the lock.
func Either(ctx context.Context, rs *redsync.Redsync, job Job) error {
	mutex := rs.NewMutex("either")
	if err := mutex.LockContext(ctx); err != nil { // want: release // verdict: unverified
		return err
	}
	if due, err := job.Due(ctx); err != nil || !due {
		return errors.Join(err, errLate)
	}
	err := job.Run(ctx)
	_, e := mutex.UnlockContext(context.WithoutCancel(ctx))
	return errors.Join(err, e)
}

// Quiet has no error to return, and one way without the release.
func Quiet(ctx context.Context, rs *redsync.Redsync, job Job) {
	mutex := rs.NewMutex("quiet")
	if err := mutex.LockContext(ctx); err != nil { // want: release // verdict: unverified
		log.Print(err)
		return
	}
	due, err := job.Due(ctx)
	if err != nil {
		log.Print(err)
	}
	if !due {
		return
	}
	if err := job.Run(ctx); err != nil {
		log.Print(err)
	}
	if _, err := mutex.UnlockContext(context.WithoutCancel(ctx)); err != nil {
		log.Print(err)
	}
}

// Turns goes on to the next turn with the lock of this one.
func Turns(ctx context.Context, locker *redislock.Client, jobs []Job) error {
	for _, job := range jobs {
		lease, err := locker.Obtain(ctx, "turns", time.Minute, nil) // want: release // verdict: unverified
		if err != nil {
			return err
		}
		due, err := job.Due(ctx)
		if err != nil {
			log.Print(err)
		}
		if !due {
			continue
		}
		if err := errors.Join(job.Run(ctx), lease.Release(context.WithoutCancel(ctx))); err != nil {
			log.Print(err)
		}
	}
	return nil
}

// Fatal ends the process, and with it the deferred release.
func Fatal(ctx context.Context, locker *redislock.Client, job Job) {
	lease, err := locker.Obtain(ctx, "fatal", time.Minute, nil) // verdict: unverified
	if err != nil {
		log.Fatal(err)
	}
	defer lease.Release(context.WithoutCancel(ctx))
	if err := job.Run(ctx); err != nil {
		log.Fatalf("job: %v", err) // want: release
	}
}

// Status ends the process with a status, as main functions do.
func Status(ctx context.Context, rs *redsync.Redsync, job Job) {
	mutex := rs.NewMutex("status")
	if err := mutex.LockContext(ctx); err != nil { // verdict: unverified
		os.Exit(2)
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	code := 0
	if err := job.Run(ctx); err != nil {
		code = 1
	}
	os.Exit(code) // want: release
}
