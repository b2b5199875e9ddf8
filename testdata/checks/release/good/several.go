package good

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
)

// Desks books several desks at once.
type Desks struct {
	locker *redislock.Client
	rs     *redsync.Redsync
}

func giveBack(ctx context.Context, locks map[string]*redislock.Lock) error {
	var err error
	for _, l := range locks {
		err = errors.Join(err, l.Release(context.WithoutCancel(ctx)))
	}
	return err
}

// RolledBack gives back what it has where one is taken.
func (d *Desks) RolledBack(ctx context.Context, names []string) (map[string]*redislock.Lock, error) {
	held := make(map[string]*redislock.Lock)
	for _, name := range names {
		lock, err := d.locker.Obtain(ctx, "desk:"+name, time.Minute, nil)
		if err != nil {
			return nil, errors.Join(err, giveBack(ctx, held))
		}
		held[name] = lock
	}
	return held, nil
}

// InADefer does so whatever goes wrong.
func (d *Desks) InADefer(ctx context.Context, names []string) (held []*redislock.Lock, err error) {
	defer func() {
		if err != nil {
			for _, l := range held {
				err = errors.Join(err, l.Release(context.WithoutCancel(ctx)))
			}
			held = nil
		}
	}()
	for _, name := range names {
		lock, err := d.locker.Obtain(ctx, "desk:"+name, time.Minute, nil)
		if err != nil {
			return held, err
		}
		held = append(held, lock)
	}
	return held, nil
}

// Some gives the caller those that it has, with the error.
func (d *Desks) Some(ctx context.Context, names []string) ([]*redislock.Lock, error) {
	var held []*redislock.Lock
	for _, name := range names {
		lock, err := d.locker.Obtain(ctx, "desk:"+name, time.Minute, nil)
		if err != nil {
			return held, err
		}
		held = append(held, lock)
	}
	return held, nil
}

// Undone collects how to give them back, and does.
func (d *Desks) Undone(ctx context.Context, names []string) (func(), error) {
	var undo []func()
	all := func() {
		for _, f := range undo {
			f()
		}
	}
	for _, name := range names {
		m := d.rs.NewMutex("desk:" + name)
		if err := m.LockContext(ctx); err != nil {
			all()
			return nil, err
		}
		undo = append(undo, func() { _, _ = m.UnlockContext(context.WithoutCancel(ctx)) })
	}
	return all, nil
}

// First takes the first that is free.
func (d *Desks) First(ctx context.Context, names []string) (*redislock.Lock, error) {
	for _, name := range names {
		lock, err := d.locker.Obtain(ctx, "desk:"+name, time.Minute, nil)
		if errors.Is(err, redislock.ErrNotObtained) {
			continue
		}
		return lock, err
	}
	return nil, redislock.ErrNotObtained
}

// Each has one at a time.
func (d *Desks) Each(ctx context.Context, names []string, clean func(context.Context, string) error) error {
	for _, name := range names {
		m := d.rs.NewMutex("desk:" + name)
		if err := m.LockContext(ctx); err != nil {
			return err
		}
		err := clean(ctx, name)
		if _, e := m.UnlockContext(context.WithoutCancel(ctx)); e != nil {
			err = errors.Join(err, e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
