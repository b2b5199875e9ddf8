package good

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
)

// Launch waits before it takes the lock.
func Launch(ctx context.Context, locks *redislock.Client, pad string, fueled func() bool, ignite func(context.Context) error) (err error) {
	for n := 10; !fueled(); n-- {
		if n == 0 {
			return errors.New("no fuel")
		}
		time.Sleep(6 * time.Second)
	}
	lock, err := locks.Obtain(ctx, "launch:"+pad, 45*time.Second, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	return ignite(ctx)
}

// Queued sleeps between its tries to get the lock, longer than the lease lasts.
func Queued(ctx context.Context, rs *redsync.Redsync, move func(context.Context) error) (err error) {
	mutex := rs.NewMutex("lock:sediment", redsync.WithExpiry(8*time.Second))
	for n := 0; mutex.TryLockContext(ctx) != nil; n++ {
		if n == 20 {
			return errors.New("never my turn")
		}
		time.Sleep(time.Second)
	}
	defer func() { err = errors.Join(err, unlock(ctx, mutex)) }()
	return move(ctx)
}

// Rest sleeps when it has given the lock back.
func Rest(ctx context.Context, rs *redsync.Redsync, move func(context.Context) error) error {
	mutex := rs.NewMutex("lock:sediment", redsync.WithExpiry(8*time.Second))
	if err := mutex.LockContext(ctx); err != nil {
		return err
	}
	err := errors.Join(move(ctx), unlock(ctx, mutex))
	time.Sleep(10 * time.Second)
	return err
}
