// Package asked asks before each step how long its lease lives.
package asked

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/go-redsync/redsync/v4"
)

var errOver = errors.New("the shift is over")

// Shift works step by step.
func Shift(ctx context.Context, rs *redsync.Redsync, line string, steps []func(context.Context) error) error {
	mu := rs.NewMutex("shift:" + line)
	if err := mu.LockContext(ctx); err != nil { // verdict: unverified
		return err
	}
	done := make(chan struct{})
	defer func() {
		close(done)
		if ok, err := mu.UnlockContext(context.WithoutCancel(ctx)); !ok || err != nil {
			log.Print("the shift was over: ", err)
		}
	}()
	go func() {
		tick := time.NewTicker(2 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				_, _ = mu.ExtendContext(ctx)
			}
		}
	}()
	for _, step := range steps {
		left := time.Until(mu.Until())
		log.Printf("%s left", left.Round(time.Second))
		if left < time.Second {
			return errOver
		}
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}
