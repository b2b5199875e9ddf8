package service

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sync/errgroup"

	"example.org/locks/checks/shapes/lock"
	"example.org/locks/checks/shapes/store"
)

// Ledger pays orders under locks of etcd, and hands the token on.
type Ledger struct {
	Etcd     *clientv3.Client
	Fence    *lock.Fence
	Registry *lock.Registry
	Orders   *store.Orders

	token int64
}

// Pair: the token is kept by Lock and read by Token.
func (l *Ledger) Pair(ctx context.Context, id, cents int64) error {
	f, err := lock.NewFence(l.Etcd, fmt.Sprintf("order/%d", id))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Lock(ctx); err != nil { // verdict: fenced // lock: /fence/order/%d 10s
		return err
	}
	defer f.Unlock(context.WithoutCancel(ctx))
	return l.Orders.PayFenced(ctx, id, cents, f.Token())
}

// Shared: the fence is in a field, and is locked before the work and after it again.
func (l *Ledger) Shared(ctx context.Context, id, cents int64) error {
	if err := l.Fence.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer l.Fence.Unlock(context.WithoutCancel(ctx))
	return l.Orders.PayFenced(ctx, id, cents, l.Fence.Token())
}

// Forgotten has the token and does not hand it on.
func (l *Ledger) Forgotten(ctx context.Context, id, cents int64) error {
	if err := l.Fence.Lock(ctx); err != nil { // want: unfenced // verdict: unfenced
		return err
	}
	defer l.Fence.Unlock(context.WithoutCancel(ctx))
	if l.Fence.Token() == 0 {
		return lock.ErrHeld
	}
	return l.Orders.Pay(ctx, id, cents)
}

// Opened: the constructor locks.
func (l *Ledger) Opened(ctx context.Context, id, cents int64) error {
	f, err := lock.Open(ctx, l.Etcd, "orders") // verdict: fenced // lock: /fence/orders 10s
	if err != nil {
		return err
	}
	defer f.Close()
	defer f.Unlock(context.WithoutCancel(ctx))
	return l.Orders.PayFenced(ctx, id, cents, f.Token())
}

// Text: the token goes through a string and back.
func (l *Ledger) Text(ctx context.Context, id, cents int64) error {
	f, err := lock.Open(ctx, l.Etcd, "orders") // verdict: fenced
	if err != nil {
		return err
	}
	defer f.Close()
	defer f.Unlock(context.WithoutCancel(ctx))
	return l.Orders.PayText(ctx, id, cents, f.Text())
}

// Printed does the same by fmt.
func (l *Ledger) Printed(ctx context.Context, id, cents int64) error {
	f, err := lock.Open(ctx, l.Etcd, "orders") // verdict: fenced
	if err != nil {
		return err
	}
	defer f.Close()
	defer f.Unlock(context.WithoutCancel(ctx))
	return l.Orders.PayText(ctx, id, cents, fmt.Sprint(f.Token()))
}

// Callback is handed the token.
func (l *Ledger) Callback(ctx context.Context, id, cents int64) error {
	return lock.Fenced(ctx, l.Etcd, "orders", func(ctx context.Context, token int64) error { // verdict: fenced
		return l.Orders.PayFenced(ctx, id, cents, token)
	})
}

// Constant drops it.
func (l *Ledger) Constant(ctx context.Context, id, cents int64) error {
	return lock.Fenced(ctx, l.Etcd, "orders", func(ctx context.Context, _ int64) error { // want: unfenced // verdict: unfenced
		return l.Orders.PayFenced(ctx, id, cents, 1)
	})
}

// Context finds the token in the context.
func (l *Ledger) Context(ctx context.Context, id, cents int64) error {
	return lock.InContext(ctx, l.Etcd, "orders", func(ctx context.Context) error { // verdict: fenced
		token, ok := lock.FromContext(ctx)
		if !ok {
			return lock.ErrHeld
		}
		return l.Orders.PayFenced(ctx, id, cents, token)
	})
}

// Message puts the token into a request, as an unsigned number.
func (l *Ledger) Message(ctx context.Context, id, cents int64) error {
	return lock.Grants(ctx, l.Etcd, "orders", func(ctx context.Context, g *lock.Grant) error { // verdict: fenced
		return l.Orders.Apply(ctx, &store.Payment{Order: id, Cents: cents, Fence: g.GetToken()})
	})
}

// Encoded sends the request through JSON.
func (l *Ledger) Encoded(ctx context.Context, id, cents int64) error {
	return lock.Grants(ctx, l.Etcd, "orders", func(ctx context.Context, g *lock.Grant) error { // verdict: fenced
		body, err := json.Marshal(&store.Payment{Order: id, Cents: cents, Fence: g.Token})
		if err != nil {
			return err
		}
		p, err := store.Decode(body)
		if err != nil {
			return err
		}
		return l.Orders.Apply(ctx, p)
	})
}

// Blank forgets the field.
func (l *Ledger) Blank(ctx context.Context, id, cents int64) error {
	return lock.Grants(ctx, l.Etcd, "orders", func(ctx context.Context, g *lock.Grant) error { // want: unfenced // verdict: unfenced
		return l.Orders.Apply(ctx, &store.Payment{Order: id, Cents: cents})
	})
}

// Kept stores the token in a field of the service, where another method finds it.
func (l *Ledger) Kept(ctx context.Context, id, cents int64) error {
	f, err := lock.Open(ctx, l.Etcd, "kept") // verdict: fenced
	if err != nil {
		return err
	}
	defer f.Close()
	defer f.Unlock(context.WithoutCancel(ctx))
	l.token = f.Token()
	return l.pay(ctx, id, cents)
}

func (l *Ledger) pay(ctx context.Context, id, cents int64) error {
	return l.Orders.PayFenced(ctx, id, cents, l.token)
}

// Named keeps its fences in a registry.
func (l *Ledger) Named(ctx context.Context, id, cents int64) error {
	name := strconv.FormatInt(id, 10)
	if err := l.Registry.Lock(ctx, name); err != nil { // verdict: fenced // lock: /fence/%s 10s
		return err
	}
	defer l.Registry.Unlock(context.WithoutCancel(ctx), name)
	return l.Orders.PayFenced(ctx, id, cents, l.Registry.Token(name))
}

// Other asks for the token of another fence: which one that is, is out of sight.
func (l *Ledger) Other(ctx context.Context, id, cents int64) error {
	if err := l.Registry.Lock(ctx, "one"); err != nil { // verdict: unverified
		return err
	}
	defer l.Registry.Unlock(context.WithoutCancel(ctx), "one")
	return l.Orders.PayFenced(ctx, id, cents, l.Registry.Token("two"))
}

// Parallel hands the token to goroutines.
func (l *Ledger) Parallel(ctx context.Context, ids []int64, cents int64) error {
	return lock.Fenced(ctx, l.Etcd, "batch", func(ctx context.Context, token int64) error { // verdict: fenced
		g, ctx := errgroup.WithContext(ctx)
		for _, id := range ids {
			g.Go(func() error { return l.Orders.PayFenced(ctx, id, cents, token) })
		}
		return g.Wait()
	})
}

// batch is generic in what it works on.
func batch[T any](ctx context.Context, cli *clientv3.Client, items []T, do func(ctx context.Context, item T, token int64) error) error {
	return lock.Fenced(ctx, cli, "generic", func(ctx context.Context, token int64) error {
		for _, it := range items {
			if err := do(ctx, it, token); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *Ledger) Batch(ctx context.Context, ids []int64) error {
	return batch(ctx, l.Etcd, ids, func(ctx context.Context, id, token int64) error { // verdict: fenced // lock: /fence/generic 10s
		return l.Orders.PayFenced(ctx, id, 0, token)
	})
}

// Generated writes through an interface that only a client's types have.
func (l *Ledger) Generated(ctx context.Context, q *store.Queries, id int64) error {
	return lock.Fenced(ctx, l.Etcd, "orders", func(ctx context.Context, token int64) error { // verdict: fenced
		return q.CancelFenced(ctx, id, token)
	})
}

// Plain does so without the token.
func (l *Ledger) Plain(ctx context.Context, q *store.Queries, id int64) error {
	return lock.Fenced(ctx, l.Etcd, "orders", func(ctx context.Context, token int64) error { // want: unfenced // verdict: unfenced
		return q.Cancel(ctx, id)
	})
}

// steps runs functions one after the other.
func steps(ctx context.Context, list ...func(context.Context) error) error {
	for _, do := range list {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Steps works in a list of functions, and Nothing in an empty one.
func (l *Ledger) Steps(ctx context.Context, q *store.Queries, id int64) error {
	return lock.Fenced(ctx, l.Etcd, "orders", func(ctx context.Context, token int64) error { // want: unfenced // verdict: unfenced
		return steps(ctx, func(ctx context.Context) error { return q.CancelFenced(ctx, id, token) }, func(ctx context.Context) error { return q.Cancel(ctx, id) })
	})
}

func (l *Ledger) Nothing(ctx context.Context) error {
	return lock.Fenced(ctx, l.Etcd, "orders", func(ctx context.Context, token int64) error { // verdict: no-visible-write
		return steps(ctx)
	})
}

// Dropped gives the lock back by a transaction of the wrapper's own, before it writes again.
func (l *Ledger) Dropped(ctx context.Context, id, cents int64) error {
	f, err := lock.Open(ctx, l.Etcd, "dropped") // verdict: fenced // lock: /fence/dropped 10s
	if err != nil {
		return err
	}
	defer f.Close()
	if err := l.Orders.PayFenced(ctx, id, cents, f.Token()); err != nil {
		return err
	}
	return f.Drop(ctx)
}
