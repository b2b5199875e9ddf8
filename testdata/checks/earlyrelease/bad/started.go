package bad

import (
	"context"
	"log"
	"time"

	"github.com/bsm/redislock"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"example.org/locks/checks/earlyrelease/bad/under"
)

// Catalogue is implemented outside of this module.
type Catalogue interface {
	Fetch(ctx context.Context, shop string) error
	Publish(ctx context.Context, shop string) error
}

// Refresh starts all of its work inside the lock, and leaves.
func Refresh(ctx context.Context, locker *redislock.Client, shop string, c Catalogue) error {
	return under.Lock(ctx, locker, "shop:"+shop, func(ctx context.Context) error { // verdict: unverified
		log.Printf("refreshing %s", shop)
		go publish(context.WithoutCancel(ctx), shop, c) // want: earlyrelease
		return nil
	})
}

func publish(ctx context.Context, shop string, c Catalogue) {
	if err := c.Fetch(ctx, shop); err != nil {
		log.Print(err)
		return
	}
	if err := c.Publish(ctx, shop); err != nil {
		log.Print(err)
	}
}

// Shops is the same with a method value for the callback, and a closure for the goroutine.
type Shops struct {
	locker    *redislock.Client
	catalogue Catalogue
}

func (s *Shops) Refresh(ctx context.Context) error {
	return under.Lock(ctx, s.locker, "shops", s.start) // verdict: unverified
}

func (s *Shops) start(context.Context) error {
	go func() { // want: earlyrelease
		if err := s.catalogue.Publish(context.Background(), "all"); err != nil {
			log.Print(err)
		}
	}()
	return nil
}

// Inline takes the lock itself.
func Inline(ctx context.Context, locker *redislock.Client, c Catalogue) error {
	lease, err := locker.Obtain(ctx, "inline", time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer lease.Release(context.WithoutCancel(ctx))
	go publish(context.WithoutCancel(ctx), "inline", c) // want: earlyrelease
	return nil
}

// Candidate has its configuration from a function of its own.
type Candidate struct {
	lease resourcelock.Interface
	work  func(context.Context)
}

func (c *Candidate) config() leaderelection.LeaderElectionConfig {
	cfg := leaderelection.LeaderElectionConfig{
		Lock: c.lease, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: c.work,
			OnStoppedLeading: func() { log.Fatal("lost") },
		},
	}
	cfg.ReleaseOnCancel = true // want: earlyrelease
	return cfg
}

// Run gives the lease back when its caller has had enough.
func (c *Candidate) Run(ctx context.Context) error {
	elector, err := leaderelection.NewLeaderElector(c.config())
	if err != nil {
		return err
	}
	elector.Run(ctx) // verdict: unverified
	return nil
}

// Sold is refreshed by the same means under a lease that is kept alive.
func Sold(ctx context.Context, locker *redislock.Client, c Catalogue) error {
	return under.Kept(ctx, locker, "sold", func(ctx context.Context) error { // verdict: unverified
		go publish(context.WithoutCancel(ctx), "sold", c) // want: earlyrelease
		return nil
	})
}
