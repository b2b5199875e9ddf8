package bad

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/bsm/redislock"
)

// Stand gives up when the store fails too often, and goes on where the lock is gone.
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
	failures := 0
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			err := lock.Refresh(ctx, 30*time.Second, nil) // want: renewal
			if err == nil {
				continue
			}
			if !errors.Is(err, redislock.ErrNotObtained) {
				if failures++; failures == 2 {
					cancel()
				}
				continue
			}
			log.Print(err)
		}
	}
}
