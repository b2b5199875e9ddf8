package bad

import (
	"context"
	"database/sql"
	"log"
	"time"

	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// Tariffs are written by the leader.
type Tariffs struct{ db *sql.DB }

func (t *Tariffs) write(ctx context.Context) error {
	_, err := t.db.ExecContext(ctx, "UPDATE tariffs SET cents = cents + 1") // want: unfenced
	return err
}

// leading ends the election's own context, which is not that of the work.
func leading(ctx context.Context, l resourcelock.Interface, work func(context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock:          l,
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		Callbacks:     leaderelection.LeaderCallbacks{OnStartedLeading: work, OnStoppedLeading: cancel},
	})
}

// Keep works on the context that it was started with.
func (t *Tariffs) Keep(ctx context.Context, l resourcelock.Interface) {
	leading(ctx, l, func(context.Context) { // want: renewal // verdict: unfenced
		for {
			if err := t.write(ctx); err != nil {
				log.Print(err)
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Minute):
			}
		}
	})
}

// Hold cancels what nobody runs on.
func (t *Tariffs) Hold(ctx context.Context, l resourcelock.Interface) {
	election, cancel := context.WithCancel(ctx)
	defer cancel()
	leaderelection.RunOrDie(election, leaderelection.LeaderElectionConfig{ // want: renewal // verdict: unfenced
		Lock:          l,
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) {
				for ctx.Err() == nil {
					_ = t.write(ctx)
					time.Sleep(time.Second)
				}
			},
			OnStoppedLeading: func() {
				log.Print("stopped leading")
				cancel()
			},
		},
	})
}
