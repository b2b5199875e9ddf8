package good

import (
	"context"
	"database/sql"
	"log"
	"os"
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

// Keep works on a context that comes of the one which is cancelled.
func (t *Tariffs) Keep(ctx context.Context, l resourcelock.Interface) {
	election, cancel := context.WithCancel(ctx)
	defer cancel()
	turn, stop := context.WithTimeout(election, time.Hour)
	defer stop()
	leaderelection.RunOrDie(election, leaderelection.LeaderElectionConfig{ // verdict: unfenced
		Lock:          l,
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) {
				for turn.Err() == nil {
					_ = t.write(turn)
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

// Stop waits for the end of that context by its channel.
func (t *Tariffs) Stop(ctx context.Context, l resourcelock.Interface) {
	election, cancel := context.WithCancel(ctx)
	defer cancel()
	over := election.Done()
	leaderelection.RunOrDie(election, leaderelection.LeaderElectionConfig{ // verdict: unfenced
		Lock:          l,
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) {
				for {
					_ = t.write(ctx)
					select {
					case <-over:
						return
					case <-time.After(time.Second):
					}
				}
			},
			OnStoppedLeading: cancel,
		},
	})
}

// Exit ends the process besides.
func (t *Tariffs) Exit(ctx context.Context, l resourcelock.Interface) {
	election, cancel := context.WithCancel(ctx)
	leaderelection.RunOrDie(election, leaderelection.LeaderElectionConfig{ // verdict: unfenced
		Lock:          l,
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) {
				for {
					_ = t.write(ctx)
					time.Sleep(time.Second)
				}
			},
			OnStoppedLeading: func() {
				cancel()
				os.Exit(1)
			},
		},
	})
}

// Once does something that ends by itself.
func (t *Tariffs) Once(ctx context.Context, l resourcelock.Interface) {
	election, cancel := context.WithCancel(ctx)
	defer cancel()
	leaderelection.RunOrDie(election, leaderelection.LeaderElectionConfig{ // verdict: unfenced
		Lock:          l,
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { _ = t.write(ctx) },
			OnStoppedLeading: cancel,
		},
	})
}
