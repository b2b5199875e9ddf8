// Package alarm has a timer end the work when its lease is over, and moves it with each
// renewal: who counts the time needs no answer.
package alarm

import (
	"context"
	"log"
	"time"

	"github.com/go-redsync/redsync/v4"
)

// Watch stands a watch on a context that ends with the mutex.
func Watch(ctx context.Context, rs *redsync.Redsync, tower string, stand func(context.Context) error) error {
	mu := rs.NewMutex("watch:" + tower)
	if err := mu.LockContext(ctx); err != nil {
		return err
	}
	defer func() {
		if ok, err := mu.UnlockContext(context.WithoutCancel(ctx)); !ok || err != nil {
			log.Print("the watch was over: ", err)
		}
	}()
	held, end := context.WithCancel(ctx)
	defer end()
	over := time.AfterFunc(time.Until(mu.Until()), end)
	defer over.Stop()
	go func() {
		tick := time.NewTicker(2 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-held.Done():
				return
			case <-tick.C:
				_, _ = mu.ExtendContext(held)
				over.Reset(time.Until(mu.Until()))
			}
		}
	}()
	return stand(held)
}
