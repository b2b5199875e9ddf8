package good

import (
	"context"
	"time"

	"github.com/bsm/redislock"
)

// Dump is a lock of its own library, held in a field.
type Dump struct {
	locker *redislock.Client
	lock   *redislock.Lock
}

func (d *Dump) obtain(ctx context.Context) (err error) {
	d.lock, err = d.locker.Obtain(ctx, "dump", time.Minute, nil)
	return err
}

// Write stops when the lock is lost, and has it taken anew for another try.
func (d *Dump) Write(ctx context.Context, write func(context.Context) error) error {
	if err := d.obtain(ctx); err != nil {
		return err
	}
	defer func() { d.lock.Release(context.WithoutCancel(ctx)) }()
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() {
		for {
			select {
			case <-held.Done():
				return
			case <-time.After(20 * time.Second):
			}
			if err := d.lock.Refresh(ctx, time.Minute, nil); err != nil {
				lost(err)
				if err := d.obtain(ctx); err != nil { // verdict: no-visible-write
					return
				}
			}
		}
	}()
	return write(held)
}

// Pages takes the lock anew between two pages, where nothing is under way.
func Pages(ctx context.Context, locker *redislock.Client, next func(context.Context) error) error {
	l, err := locker.Obtain(ctx, "pages", time.Minute, nil)
	if err != nil {
		return err
	}
	defer func() { l.Release(context.WithoutCancel(ctx)) }()
	for {
		if err := l.Refresh(ctx, time.Minute, nil); err != nil {
			if l, err = locker.Obtain(ctx, "pages", time.Minute, nil); err != nil {
				return err
			}
		}
		if err := next(ctx); err != nil {
			return err
		}
	}
}
