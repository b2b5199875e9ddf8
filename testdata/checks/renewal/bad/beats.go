package bad

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/hashicorp/consul/api"
	"golang.org/x/sync/errgroup"
)

// Press keeps its lock for one tick longer than it was taken for.
func Press(ctx context.Context, mutex *redsync.Mutex, sheet func(context.Context) error) error {
	if err := mutex.LockContext(ctx); err != nil {
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	g, held := errgroup.WithContext(ctx)
	g.Go(func() error {
		pulse := time.Tick(2 * time.Second)
		<-pulse
		ok, err := mutex.ExtendContext(held) // want: renewal
		if err == nil && !ok {
			err = errors.New("not extended")
		}
		return err
	})
	g.Go(func() error { return sheet(held) })
	return g.Wait()
}

// beater says when to beat, and beats once.
type beater struct {
	pulse *time.Ticker
}

func (b *beater) beat(ctx context.Context, l *redislock.Lock) error {
	defer b.pulse.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-b.pulse.C:
			return l.Refresh(ctx, time.Minute, nil) // want: renewal
		}
	}
}

// Bind has a beater.
func Bind(ctx context.Context, locker *redislock.Client, volume func(context.Context) error) error {
	l, err := locker.Obtain(ctx, "bind", time.Minute, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	b := &beater{pulse: time.NewTicker(20 * time.Second)}
	go func() {
		if err := b.beat(held, l); err != nil {
			lost(err)
		}
	}()
	return volume(held)
}

// Trim refreshes often enough for what it obtained, and to less than that.
func Trim(ctx context.Context, locker *redislock.Client, edge func(context.Context) error) error {
	l, err := locker.Obtain(ctx, "trim", 2*time.Minute, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() {
		for held.Err() == nil {
			time.Sleep(30 * time.Second)
			if err := l.Refresh(held, 20*time.Second, nil); err != nil { // want: renewal
				lost(err)
			}
		}
	}()
	return edge(held)
}

// pledge renews a session as it is told to.
func pledge(c *api.Client, id, life string, done <-chan struct{}) error {
	return c.Session().RenewPeriodic(life, id, nil, done) // want: renewal
}

// Fold tells its pledge another life than the session has.
func Fold(ctx context.Context, c *api.Client, crease func(context.Context) error) error {
	id, _, err := c.Session().Create(&api.SessionEntry{Name: "fold", TTL: "10s"}, nil)
	if err != nil {
		return err
	}
	defer c.Session().Destroy(id, nil)
	ok, _, err := c.KV().Acquire(&api.KVPair{Key: "fold", Session: id}, nil)
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() { lost(pledge(c, id, "30s", held.Done())) }()
	return crease(held)
}
