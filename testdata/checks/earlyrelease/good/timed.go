package good

import (
	"context"
	"log"
	"time"

	"github.com/bsm/redislock"

	"example.org/locks/checks/earlyrelease/good/under"
)

// Tape is implemented outside of this module.
type Tape interface {
	Append(ctx context.Context, line string) error
	Sync(ctx context.Context) error
	Evict(ctx context.Context, line string) error
}

// Recorder syncs inside the lock.
type Recorder struct {
	locker *redislock.Client
	tape   Tape
	shelf  Tape
}

// Record has its timer stopped, or it ends with the callback's context.
func (r *Recorder) Record(ctx context.Context, line string) error {
	return under.Lock(ctx, r.locker, "tape", func(ctx context.Context) error { // verdict: unverified
		late := time.AfterFunc(time.Second, func() { r.tape.Append(context.WithoutCancel(ctx), "late") })
		defer late.Stop()
		if err := r.tape.Append(ctx, line); err != nil {
			return err
		}
		time.AfterFunc(time.Hour, func() { r.tape.Sync(ctx) })
		return r.tape.Sync(ctx)
	})
}

// Cached drops what is old a second time, and looks after another tape.
func (r *Recorder) Cached(ctx context.Context, line string) error {
	lease, err := r.locker.Obtain(ctx, "tape", time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer lease.Release(context.WithoutCancel(ctx))
	if err := r.tape.Append(ctx, line); err != nil {
		return err
	}
	time.AfterFunc(time.Second, func() {
		if err := r.tape.Evict(context.Background(), line); err != nil {
			log.Print(err)
		}
		if err := r.shelf.Sync(context.Background()); err != nil {
			log.Print(err)
		}
	})
	return nil
}
