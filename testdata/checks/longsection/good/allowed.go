package good

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
)

// Kiln fires what it is given.
type Kiln interface {
	Fire(ctx context.Context, batch string) error
}

// Bake gives the kiln less than two under a lock of two.
func Bake(ctx context.Context, locker *redislock.Client, kiln Kiln, batch string) error {
	l, err := locker.Obtain(ctx, "kiln:"+batch, 2*time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	firing, stop := context.WithTimeout(ctx, 15*time.Minute)
	defer stop()
	short, done := context.WithTimeoutCause(firing, 90*time.Second, errors.New("too long in the kiln"))
	defer done()
	return kiln.Fire(short, batch)
}

// Tidy tidies a new shelf.
func Tidy(ctx context.Context, rs *redsync.Redsync, move func(context.Context) error) error {
	mutex := rs.NewMutex("shelf")
	if err := mutex.LockContext(ctx); err != nil {
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	return within(ctx, 5*time.Second, move)
}

func within(ctx context.Context, most time.Duration, move func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	return move(ctx)
}

// Glaze waits for its lock and works within one deadline, which is that of its caller's
// request: it says nothing about the work.
func Glaze(ctx context.Context, locker *redislock.Client, kiln Kiln, batch string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	l, err := locker.Obtain(ctx, "glaze:"+batch, 2*time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return kiln.Fire(ctx, batch)
}
