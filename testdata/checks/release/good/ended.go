package good

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Wharfside is a place where one ship lies at a time.
type Wharfside struct{ locker *redislock.Client }

// Moor releases with a context that does not end with the wait.
func (p *Wharfside) Moor(ctx context.Context, n string) (func() error, error) {
	wait, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	l, err := p.locker.Obtain(wait, "wharfside:"+n, time.Minute, nil)
	if err != nil {
		return nil, err
	}
	return func() error {
		free, stop := context.WithTimeout(context.WithoutCancel(wait), time.Second)
		defer stop()
		return l.Release(free)
	}, nil
}

// Anchor ends the context where it fails, and hands out what ends it otherwise.
func (p *Wharfside) Anchor(ctx context.Context, n string) (func() error, error) {
	held, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	l, err := p.locker.Obtain(held, "anchor:"+n, time.Minute, nil)
	if err != nil {
		cancel()
		return nil, err
	}
	return func() error {
		defer cancel()
		return l.Release(held)
	}, nil
}

// Dock runs its literal before the context ends.
func (p *Wharfside) Dock(ctx context.Context, n string, work func(context.Context) error) (err error) {
	held, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	l, err := p.locker.Obtain(held, "dock:"+n, time.Minute, nil)
	if err != nil {
		return err
	}
	free := func() error { return l.Release(held) }
	defer func() { err = errors.Join(err, free()) }()
	return work(ctx)
}

// Lay and Stay use both.
func (p *Wharfside) Lay(ctx context.Context, n string, work func(context.Context) error) (err error) {
	free, err := p.Moor(ctx, n)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, free()) }()
	return work(ctx)
}

// Stay lies at anchor.
func (p *Wharfside) Stay(ctx context.Context, n string, work func(context.Context) error) (err error) {
	free, err := p.Anchor(ctx, n)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, free()) }()
	return work(ctx)
}

// A Hatch keeps the context of its work, which ends when that does.
type Hatch struct {
	ctx   context.Context
	mutex *concurrency.Mutex
}

// Run sets it for as long as it runs.
func (g *Hatch) Run(ctx context.Context, work func(context.Context) error) (err error) {
	held, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	g.ctx = held
	if err := g.mutex.Lock(g.ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.open()) }()
	return work(ctx)
}

func (g *Hatch) open() error { return g.mutex.Unlock(g.ctx) }
