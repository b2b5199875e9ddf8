package bad

import (
	"context"
	"database/sql"
	"log"
	"sync/atomic"
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

// Print is done by the one who leads, and takes its own context for it.
type Print struct {
	base  context.Context
	leads atomic.Bool
	press func(ctx context.Context) error
}

func (p *Print) begin(context.Context) {
	p.leads.Store(true)
	if err := p.press(p.base); err != nil {
		log.Printf("press (leading: %v): %v", p.leads.Load(), err)
	}
}

func (p *Print) end() {
	p.leads.Store(false)
	log.Print("another one prints")
}

// Elect gives the two to the election.
func (p *Print) Elect(l resourcelock.Interface) {
	leaderelection.RunOrDie(p.base, leaderelection.LeaderElectionConfig{ // verdict: unverified
		Lock:          l,
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: p.begin,
			OnStoppedLeading: p.end, // want: renewal
		},
	})
}

// Staple shows by its status who leads.
func Staple(ctx context.Context, l resourcelock.Interface, bind func(context.Context) error) {
	status := "waiting"
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock:          l,
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) {
				status = "binding"
				if err := bind(ctx); err != nil {
					log.Print(err)
				}
			},
			OnStoppedLeading: func() { // want: renewal
				status = "waiting"
			},
			OnNewLeader: func(id string) { log.Print(id, " ", status) },
		},
	})
}
