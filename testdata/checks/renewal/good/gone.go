package good

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/bsm/redislock"
)

// Stand goes on while the store fails for a moment, and ends where the lock is gone.
func Stand(ctx context.Context, locker *redislock.Client, look func(context.Context)) error {
	lock, err := locker.Obtain(ctx, "lookout", 30*time.Second, nil)
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go look(ctx)
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			err := lock.Refresh(ctx, 30*time.Second, nil)
			if errors.Is(err, redislock.ErrNotObtained) {
				cancel()
				return err
			}
			if errors.Is(err, context.DeadlineExceeded) {
				log.Print(err)
			}
		}
	}
}
