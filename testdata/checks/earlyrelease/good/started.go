package good

import (
	"context"
	"log"
	"net/http"
	"sync"
	"time"

	"github.com/bsm/redislock"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"example.org/locks/checks/earlyrelease/good/under"
)

// Catalogue is implemented outside of this module.
type Catalogue interface {
	Fetch(ctx context.Context, shop string) error
	Publish(ctx context.Context, shop string) error
}

// Refresh waits for what it has started.
func Refresh(ctx context.Context, locker *redislock.Client, shops []string, c Catalogue) error {
	return under.Lock(ctx, locker, "shops", func(ctx context.Context) error { // verdict: unverified
		var all sync.WaitGroup
		for _, shop := range shops {
			all.Go(func() {
				if err := c.Publish(ctx, shop); err != nil {
					log.Print(err)
				}
			})
		}
		all.Wait()
		return nil
	})
}

// Beside has work of its own, and starts something beside it.
func Beside(ctx context.Context, locker *redislock.Client, c Catalogue) error {
	return under.Lock(ctx, locker, "beside", func(ctx context.Context) error { // verdict: unverified
		go c.Fetch(context.WithoutCancel(ctx), "next")
		return c.Publish(ctx, "this")
	})
}

// Serve holds its lock as long as its server runs, which it does not tell by a context.
func Serve(ctx context.Context, locker *redislock.Client, c Catalogue, server *http.Server) error {
	lease, err := locker.Obtain(ctx, "serve", time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer lease.Release(context.WithoutCancel(ctx))
	go c.Fetch(ctx, "all")
	return server.ListenAndServe()
}

// Ended cancels what it has started.
func Ended(ctx context.Context, locker *redislock.Client, c Catalogue, shops map[string]int) (n int, err error) {
	err = under.Lock(ctx, locker, "ended", func(ctx context.Context) error { // verdict: unverified
		beside, cancel := context.WithCancel(ctx)
		defer cancel()
		go c.Fetch(beside, "all")
		for _, m := range shops {
			n += m
		}
		return nil
	})
	return n, err
}

// Candidate resigns when its work has ended, and not before.
func Candidate(ctx context.Context, lease resourcelock.Interface, work func(context.Context)) {
	candidacy, resign := context.WithCancel(context.Background())
	defer resign()
	leaderelection.RunOrDie(candidacy, leaderelection.LeaderElectionConfig{
		Lock: lease, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(leading context.Context) {
				mine, stop := context.WithCancel(leading)
				defer context.AfterFunc(ctx, stop)()
				work(mine)
				resign()
			},
			OnStoppedLeading: func() {
				if candidacy.Err() == nil {
					log.Fatal("lost")
				}
			},
		},
	})
}

// Led starts what the wrapper lets run.
func Led(ctx context.Context, locker *redislock.Client, c Catalogue) error {
	return under.Lead(ctx, locker, "led", func(ctx context.Context) error { // verdict: unverified
		go c.Publish(ctx, "all")
		return nil
	})
}
