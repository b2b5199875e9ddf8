package bad

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"golang.org/x/sync/errgroup"
)

// Work that is handed in runs in a goroutine that nobody waits for here.

// Spawn counts its workers for somebody else.
func Spawn(ctx context.Context, locker *redislock.Client, busy *sync.WaitGroup, feed func(context.Context) error) (err error) {
	lease, err := locker.Obtain(ctx, "feed", time.Minute, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release(context.WithoutCancel(ctx))) }()
	busy.Add(1)
	go func() { // want: earlyrelease
		defer busy.Done()
		_ = feed(ctx)
	}()
	return nil
}

// Crew keeps what it runs in a field.
type Crew struct {
	locker *redislock.Client
	group  *errgroup.Group
	shift  func() error
}

// Begin leaves the shift to the group of its owner.
func (c *Crew) Begin(ctx context.Context) (err error) {
	lease, err := c.locker.Obtain(ctx, "shift", time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release(context.WithoutCancel(ctx))) }()
	c.group.Go(c.shift) // want: earlyrelease
	return nil
}

// Detached starts the function that it was given as it is.
func Detached(ctx context.Context, rs *redsync.Redsync, job func()) error {
	mutex := rs.NewMutex("detached")
	if err := mutex.LockContext(ctx); err != nil {
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	go job() // want: earlyrelease
	return nil
}
