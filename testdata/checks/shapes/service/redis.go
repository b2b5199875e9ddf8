// Package service uses the lock library and writes through package store. It imports no client library of a lock
// store but to hand it on. What stands behind `lock:` is the key and the time to live of the use.
package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v4"
	"golang.org/x/sync/errgroup"

	"example.org/locks/checks/shapes/lock"
	"example.org/locks/checks/shapes/store"
)

// Payments pays orders under locks of Redis, which have no tokens.
type Payments struct {
	lock.Base
	Pool   *lock.Pool
	Orders *store.Orders

	current *lock.Held
	held    map[int64]*lock.Held
}

// Pair: the handle is made first and locked later.
func (p *Payments) Pair(ctx context.Context, id, cents int64) error {
	m := p.Locks.Mutex(fmt.Sprintf("order:%d", id))
	if err := m.Lock(ctx); err != nil { // want: unfenced // verdict: unfenced // lock: lock:order:%d 20s
		return err
	}
	defer m.Unlock()
	return p.Orders.Pay(ctx, id, cents)
}

// Options: the last option of a kind counts.
func (p *Payments) Options(ctx context.Context, id, cents int64) error {
	m := p.Locks.Mutex(fmt.Sprintf("%d", id), lock.WithPrefix("order"), lock.WithTTL(time.Minute), lock.WithTTL(5*time.Second))
	if err := m.Lock(ctx); err != nil { // want: unfenced // verdict: unfenced // lock: order:%d 5s
		return err
	}
	defer func() { _ = m.Unlock() }()
	return p.Orders.Pay(ctx, id, cents)
}

// Returned: an unlock function, through a wrapper of a wrapper.
func (p *Payments) Returned(ctx context.Context, id, cents int64) error {
	unlock, err := p.Locks.Must(ctx, "order", id, lock.WithTTL(8*time.Second)) // want: unfenced // verdict: unfenced // lock: lock:order:%d 8s
	if err != nil {
		return err
	}
	defer unlock()
	return p.Orders.Pay(ctx, id, cents)
}

// Defaulted is the same without the option.
func (p *Payments) Defaulted(ctx context.Context, id, cents int64) error {
	unlock, err := p.Locks.Must(ctx, "order", id) // want: unfenced // verdict: unfenced // lock: lock:order:%d 20s
	if err != nil {
		return err
	}
	defer unlock()
	return p.Orders.Pay(ctx, id, cents)
}

// Callback: the section is a closure.
func (p *Payments) Callback(ctx context.Context, id, cents int64) error {
	return p.Locks.With(ctx, fmt.Sprintf("order:%d", id), func(ctx context.Context) error { // want: unfenced // verdict: unfenced // lock: lock:order:%d 7s
		return p.Orders.Pay(ctx, id, cents)
	}, lock.WithTTL(7*time.Second))
}

// Twice is a callback wrapper around a callback wrapper. It skips the work where somebody else does it.
func (p *Payments) Twice(ctx context.Context, id int64) error {
	return p.Locks.Once(ctx, "sweep", func(ctx context.Context) error { // want: unfenced // verdict: unfenced // lock: lock:once:sweep 1m0s
		return p.Orders.Pay(ctx, id, 0)
	})
}

// Generic gets a value out of the section.
func (p *Payments) Generic(ctx context.Context, id, cents int64) (int64, error) {
	return lock.Value(ctx, p.Locks, "generic", func(ctx context.Context) (int64, error) { // want: unfenced // verdict: unfenced // lock: lock:generic 20s
		return cents, p.Orders.Pay(ctx, id, cents)
	})
}

// Handle: what is returned is held already.
func Handle(ctx context.Context, orders *store.Orders, pool *lock.Pool, id, cents int64) (err error) {
	h, err := pool.Acquire(ctx, id) // want: unfenced // verdict: unfenced // lock: %s:%d pool.cfg.TTL
	if err != nil {
		return err
	}
	defer func() {
		if rerr := h.Release(context.WithoutCancel(ctx)); err == nil {
			err = rerr
		}
	}()
	return orders.Pay(ctx, id, cents)
}

// Begin keeps the handle in a field for the other methods.
func (p *Payments) Begin(ctx context.Context, id int64) error {
	h, err := p.Pool.Acquire(ctx, id)
	if err != nil {
		return err
	}
	p.current = h
	return nil
}

func (p *Payments) End(ctx context.Context) error {
	return p.current.Release(context.WithoutCancel(ctx))
}

// Spread: taken and given back by methods of its own.
func (p *Payments) Spread(ctx context.Context, id, cents int64) error {
	if err := p.Begin(ctx, id); err != nil { // want: unfenced // verdict: unfenced // lock: %s:%d p.Pool.cfg.TTL
		return err
	}
	defer p.End(ctx)
	return p.Orders.Pay(ctx, id, cents)
}

// Open keeps handles in a map.
func (p *Payments) Open(ctx context.Context, id int64) error {
	h, err := p.Pool.Acquire(ctx, id)
	if err != nil {
		return err
	}
	if p.held == nil {
		p.held = make(map[int64]*lock.Held)
	}
	p.held[id] = h
	return nil
}

func (p *Payments) Shut(ctx context.Context, id int64) {
	if h, ok := p.held[id]; ok {
		delete(p.held, id)
		_ = h.Release(context.WithoutCancel(ctx))
	}
}

func (p *Payments) Mapped(ctx context.Context, id, cents int64) error {
	if err := p.Open(ctx, id); err != nil { // want: unfenced // verdict: unfenced // lock: %s:%d p.Pool.cfg.TTL
		return err
	}
	defer p.Shut(ctx, id)
	return p.Orders.Pay(ctx, id, cents)
}

// Configured: the pool is made of a Config, here and now.
func Configured(ctx context.Context, c *store.Orders, newPool func(lock.Config) *lock.Pool, id, cents int64) error {
	pool := lock.NewPool(nil, lock.Config{TTL: 6 * time.Second})
	h, err := pool.Acquire(ctx, id) // want: unfenced // verdict: unfenced // lock: pool:%d 6s
	if err != nil {
		return err
	}
	defer h.Release(context.WithoutCancel(ctx))
	return c.Pay(ctx, id, cents)
}

// Unconfigured takes the library's default.
func Unconfigured(ctx context.Context, c *store.Orders, id, cents int64) error {
	pool := lock.NewPool(nil, lock.Config{Prefix: "pay"})
	h, err := pool.Acquire(ctx, id) // want: unfenced // verdict: unfenced // lock: pay:%d 12s
	if err != nil {
		return err
	}
	defer h.Release(context.WithoutCancel(ctx))
	return c.Pay(ctx, id, cents)
}

// Embedded takes the lock by a method of an embedded struct.
func (p *Payments) Embedded(ctx context.Context, id, cents int64) error {
	unlock, err := p.Guard(ctx, fmt.Sprintf("pay:%d", id)) // want: unfenced // verdict: unfenced // lock: guard:pay:%d 15s
	if err != nil {
		return err
	}
	defer unlock()
	return p.Orders.Pay(ctx, id, cents)
}

// Loop tries until it has the lock.
func (p *Payments) Loop(ctx context.Context, id, cents int64) error {
	for {
		unlock, ok, err := p.Locks.Try(ctx, fmt.Sprintf("loop:%d", id), 9*time.Second) // want: unfenced // verdict: unfenced // lock: loop:%d 9s
		if err != nil {
			return err
		}
		if !ok {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Second):
			}
			continue
		}
		err = p.Orders.Pay(ctx, id, cents)
		unlock()
		return err
	}
}

// Retried takes the lock in a callback that is run again until it succeeds, and keeps the handle outside of it.
func (p *Payments) Retried(ctx context.Context, id, cents int64) error {
	var h *lock.Held
	take := func() error {
		var err error
		h, err = p.Pool.Acquire(ctx, id) // want: unfenced // verdict: unfenced // lock: %s:%d p.Pool.cfg.TTL
		if err != nil && !errors.Is(err, lock.ErrHeld) {
			return backoff.Permanent(err)
		}
		return err
	}
	if err := backoff.Retry(take, backoff.WithContext(backoff.NewExponentialBackOff(), ctx)); err != nil {
		return err
	}
	defer h.Release(context.WithoutCancel(ctx))
	return p.Orders.Pay(ctx, id, cents)
}

// Parallel writes in goroutines that the section waits for.
func (p *Payments) Parallel(ctx context.Context, ids []int64, cents int64) error {
	unlock, err := p.Locks.Must(ctx, "batch", 0) // want: unfenced // verdict: unfenced // lock: lock:batch:0 20s
	if err != nil {
		return err
	}
	defer unlock()
	g, ctx := errgroup.WithContext(ctx)
	for _, id := range ids {
		g.Go(func() error { return p.Orders.Pay(ctx, id, cents) })
	}
	return g.Wait()
}

// Outer is a wrapper in the service itself, whose caller has the section.
func (p *Payments) outer(ctx context.Context, id int64) (*lock.Held, error) {
	for range 3 {
		h, err := p.Pool.Acquire(ctx, id)
		if errors.Is(err, lock.ErrHeld) {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		return h, err
	}
	return nil, lock.ErrHeld
}

func (p *Payments) Third(ctx context.Context, id, cents int64) error {
	h, err := p.outer(ctx, id) // want: unfenced // verdict: unfenced // lock: %s:%d p.Pool.cfg.TTL
	if err != nil {
		return err
	}
	defer h.Release(context.WithoutCancel(ctx))
	return p.Orders.Pay(ctx, id, cents)
}

// Several takes two locks by one call, whose outcome is a bool.
func (p *Payments) Several(ctx context.Context, many *lock.Many, from, to string, id, cents int64) error {
	locked, err := many.Lock(ctx, time.Minute, from, to) // want: unfenced // verdict: unfenced
	if err != nil {
		return err
	}
	if !locked {
		return lock.ErrHeld
	}
	defer many.Unlock(context.WithoutCancel(ctx))
	return p.Orders.Pay(ctx, id, cents)
}

// All holds one lock for each order, in a map, and gives them back in any order.
func (p *Payments) All(ctx context.Context, ids []int64, cents int64) error {
	held := make(map[int64]*lock.Held)
	defer func() {
		for _, id := range ids {
			if h := held[id]; h != nil {
				_ = h.Release(context.WithoutCancel(ctx))
			}
		}
	}()
	for _, id := range ids {
		h, err := p.Pool.Acquire(ctx, id) // want: unfenced // verdict: unfenced
		if err != nil {
			return err
		}
		held[id] = h
	}
	for _, id := range ids {
		if err := p.Orders.Pay(ctx, id, cents); err != nil {
			return err
		}
	}
	return nil
}

// Kept is given back by a goroutine, once it is told to stop.
func (p *Payments) Kept(ctx context.Context, id, cents int64) error {
	stop, err := p.Pool.Keep(ctx, id) // want: unfenced // verdict: unfenced
	if err != nil {
		return err
	}
	defer stop()
	return p.Orders.Pay(ctx, id, cents)
}
