package good

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"golang.org/x/sync/errgroup"
)

var errNoRoom = errors.New("no room")

// oven has room for so many loaves.
type oven struct {
	locker *redislock.Client
	room   chan struct{}
	crew   errgroup.Group
	open   func() bool
}

// Load gives its lock back where the oven is full.
func (o *oven) Load(ctx context.Context, loaf string, bake func(context.Context) error) error {
	l, err := o.locker.Obtain(ctx, "loaf:"+loaf, time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	select {
	case o.room <- struct{}{}:
	case <-time.After(time.Second):
		return errors.Join(errNoRoom, l.Release(context.WithoutCancel(ctx)))
	}
	go o.bake(context.WithoutCancel(ctx), l, bake)
	return nil
}

func (o *oven) bake(ctx context.Context, l *redislock.Lock, bake func(context.Context) error) {
	defer func() { <-o.room }()
	if err := errors.Join(bake(ctx), l.Release(ctx)); err != nil {
		log.Print(err)
	}
}

// Knead gives its mutex back where the oven is closed.
func (o *oven) Knead(ctx context.Context, mutex *redsync.Mutex, knead func(context.Context) error) error {
	if err := mutex.LockContext(ctx); err != nil { // verdict: unverified
		return err
	}
	if !o.open() {
		_, err := mutex.UnlockContext(context.WithoutCancel(ctx))
		return errors.Join(errors.New("closed"), err)
	}
	ctx = context.WithoutCancel(ctx)
	o.crew.Go(func() error {
		err := knead(ctx)
		_, e := mutex.UnlockContext(ctx)
		return errors.Join(err, e)
	})
	return nil
}
