package bad

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"cirello.io/dynamolock/v2"
	"github.com/bsm/redislock"
)

// Gazette appears daily; its lock is renewed while it is printed.
type Gazette struct {
	locks  *dynamolock.Client
	leases *redislock.Client
	ttl    time.Duration
	every  time.Duration
	press  interface {
		Print(ctx context.Context, paper string) error
	}
}

// NewGazette is printed once a day.
func NewGazette(locks *dynamolock.Client, leases *redislock.Client, ttl time.Duration) *Gazette {
	return &Gazette{locks: locks, leases: leases, ttl: ttl, every: 24 * time.Hour}
}

// Run has a ticker in each replica.
func (g *Gazette) Run(ctx context.Context) {
	tick := time.NewTicker(24 * time.Hour)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := g.issue(ctx); err != nil {
				log.Print(err)
			}
		}
	}
}

func (g *Gazette) issue(ctx context.Context) (err error) {
	held, lost := context.WithCancel(ctx)
	defer lost()
	lock, err := g.locks.AcquireLockWithContext(ctx, "gazette", dynamolock.FailIfLocked(), // verdict: unverified
		dynamolock.WithSessionMonitor(10*time.Second, lost))
	var busy *dynamolock.LockNotGrantedError
	if errors.As(err, &busy) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() {
		ok, e := g.locks.ReleaseLockWithContext(context.WithoutCancel(ctx), lock) // want: onceguard
		if e != nil || !ok {
			err = errors.Join(err, fmt.Errorf("gazette: released %t: %w", ok, e))
		}
	}()
	return g.press.Print(held, "gazette")
}

// Special has its period in a field, and leaves the lease to others.
func (g *Gazette) Special(ctx context.Context) {
	for ctx.Err() == nil {
		time.Sleep(g.every)
		if err := g.special(ctx); err != nil {
			log.Print(err)
		}
	}
}

func (g *Gazette) special(ctx context.Context) (err error) {
	lock, err := g.leases.Obtain(ctx, "special", g.ttl, nil) // verdict: unverified
	if errors.Is(err, redislock.ErrNotObtained) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }() // want: onceguard
	return g.press.Print(ctx, "special")
}
