package good

import (
	"context"
	"time"

	"github.com/bsm/redislock"
)

// Ends renews until the renewal fails or the work is done.
func Ends(ctx context.Context, locker *redislock.Client, work func(context.Context) error) error {
	l, err := locker.Obtain(ctx, "ends", 30*time.Second, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	held, lost := context.WithCancel(ctx)
	defer lost()
	go func() {
		for range time.Tick(10 * time.Second) {
			if held.Err() != nil {
				return
			}
			if err := l.Refresh(held, 30*time.Second, nil); err != nil {
				lost()
				return
			}
		}
	}()
	return work(held)
}

// Waits takes the lock again and again until it has it: that is no renewal.
func Waits(ctx context.Context, locker *redislock.Client, work func(context.Context) error) error {
	for {
		l, err := locker.Obtain(ctx, "waits", 30*time.Second, nil)
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		err = work(ctx)
		l.Release(context.WithoutCancel(ctx))
		return err
	}
}
