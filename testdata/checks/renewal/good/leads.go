package good

import (
	"context"
	"database/sql"
	"log"
	"os"
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

// Print asks its flag before each sheet.
type Print struct {
	base  context.Context
	leads atomic.Bool
	sheet func(ctx context.Context) error
}

func (p *Print) begin(context.Context) {
	p.leads.Store(true)
	for p.leads.Load() {
		if err := p.sheet(p.base); err != nil {
			return
		}
	}
}

func (p *Print) end() { p.leads.Store(false) }

// Elect gives the two to the election.
func (p *Print) Elect(l resourcelock.Interface) {
	leaderelection.RunOrDie(p.base, leaderelection.LeaderElectionConfig{ // verdict: unverified
		Lock:          l,
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		Callbacks:     leaderelection.LeaderCallbacks{OnStartedLeading: p.begin, OnStoppedLeading: p.end},
	})
}

// Desk lets through what the leader's flag says, to work that goes on all the time.
type Desk struct {
	leads bool
	serve func(ctx context.Context, may func() bool) error
}

func (d *Desk) may() bool { return d.leads }

// Elect serves on its own context, and is asked for each request.
func (d *Desk) Elect(ctx context.Context, l resourcelock.Interface) {
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{ // verdict: unverified
		Lock:          l,
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) {
				d.leads = true
				if err := d.serve(ctx, d.may); err != nil {
					return
				}
			},
			OnStoppedLeading: func() { d.leads = false },
		},
	})
}
