package good

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/hashicorp/consul/api"
	"golang.org/x/sync/errgroup"
)

// Press keeps its lock for one tick after the other.
func Press(ctx context.Context, mutex *redsync.Mutex, sheet func(context.Context) error) error {
	if err := mutex.LockContext(ctx); err != nil {
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	g, held := errgroup.WithContext(ctx)
	g.Go(func() error {
		pulse := time.Tick(2 * time.Second)
		for {
			select {
			case <-held.Done():
				return nil
			case <-pulse:
			}
			if ok, err := mutex.ExtendContext(held); err != nil || !ok {
				return errors.Join(err, errors.New("not extended"))
			}
		}
	})
	g.Go(func() error { return sheet(held) })
	return g.Wait()
}

// beater says when to beat, and its owner how often.
type beater struct {
	pulse *time.Ticker
}

// beat is called for every beat.
func (b *beater) beat(ctx context.Context, l *redislock.Lock) error {
	select {
	case <-ctx.Done():
		return nil
	case <-b.pulse.C:
		return l.Refresh(ctx, time.Minute, nil)
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
		defer b.pulse.Stop()
		for held.Err() == nil {
			if err := b.beat(held, l); err != nil {
				lost(err)
			}
		}
	}()
	return volume(held)
}

// Trim refreshes often enough for what it obtained, and to as much again.
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
			if err := l.Refresh(held, 2*time.Minute, nil); err != nil {
				lost(err)
			}
		}
	}()
	return edge(held)
}

// pledge renews a session as it is told to.
func pledge(c *api.Client, id, life string, done <-chan struct{}) error {
	return c.Session().RenewPeriodic(life, id, nil, done)
}

// Fold tells its pledge the life that the session has.
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
		return errors.New("folded by another")
	}
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() { lost(pledge(c, id, "10s", held.Done())) }()
	return crease(held)
}

// Crimp has its session renewed by the library, which keeps the time, and waits as long as it lasts
// before it begins another.
func Crimp(ctx context.Context, c *api.Client, press func(context.Context)) {
	for ctx.Err() == nil {
		held, lost := context.WithCancelCause(ctx)
		id, _, err := c.Session().Create(&api.SessionEntry{Name: "crimp", TTL: "20s"}, nil)
		if err != nil {
			lost(err)
			return
		}
		ok, _, err := c.KV().Acquire(&api.KVPair{Key: "crimp", Session: id}, nil) // verdict: unverified
		if err != nil || !ok {
			_, e := c.Session().Destroy(id, nil)
			lost(errors.Join(err, e))
			return
		}
		go press(held)
		lost(c.Session().RenewPeriodic("20s", id, nil, ctx.Done()))
		time.Sleep(20 * time.Second)
	}
}
