package bad

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
)

// Launch does what it is given, and counts down longer than the lease lasts: whoever calls
// it, and whatever that does.
func Launch(ctx context.Context, locks *redislock.Client, pad string, fueled func() bool, ignite func(context.Context) error) (err error) {
	lock, err := locks.Obtain(ctx, "launch:"+pad, 45*time.Second, nil) // want: longsection
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	for n := 10; n > 0; n-- {
		if fueled() {
			return ignite(ctx)
		}
		time.Sleep(6 * time.Second)
	}
	return errors.New("no fuel")
}

// Rested works first and sleeps then.
func Rested(ctx context.Context, rs *redsync.Redsync, move func(context.Context) error) (err error) {
	mutex := rs.NewMutex("lock:sediment", redsync.WithExpiry(8*time.Second))
	if err := mutex.LockContext(ctx); err != nil { // want: longsection
		return err
	}
	defer func() { err = errors.Join(err, unlock(ctx, mutex)) }()
	if err := move(ctx); err != nil {
		return err
	}
	time.Sleep(10 * time.Second) // until it has settled
	return nil
}
