package service

import (
	"context"
	"sync"

	"go.etcd.io/etcd/client/v3/concurrency"

	"example.org/locks/checks/shapes/lock"
	"example.org/locks/checks/shapes/store"
)

// Injected is given its locks.
type Injected struct {
	Locks  lock.Locker
	Seq    lock.Sequencer
	Out    lock.Outside
	Orders Payer
	Local  sync.Locker
}

// Payer is what is needed of the store.
type Payer interface {
	Pay(ctx context.Context, id, cents int64) error
	PayFenced(ctx context.Context, id, cents, token int64) error
}

var _ Payer = (*store.Orders)(nil)

// Both sides are interfaces, and so is the handle.
func (s *Injected) Both(ctx context.Context, id, cents int64) error {
	held, err := s.Locks.Lock(ctx, "both") // want: unfenced // verdict: unfenced // lock: svc:both s.Locks.ttl // linked
	if err != nil {
		return err
	}
	defer held.Unlock(context.WithoutCancel(ctx))
	return s.Orders.Pay(ctx, id, cents)
}

// Differing: of two implementations, one hands out what is no token.
func (s *Injected) Differing(ctx context.Context, id, cents int64) error {
	return s.Seq.Sequence(ctx, "differing", func(ctx context.Context, token int64) error { // want: unorderedtoken // verdict: unfenced // linked
		return s.Orders.PayFenced(ctx, id, cents, token)
	})
}

// Invisible: no implementation is in view. That it is a lock cannot be known.
func (s *Injected) Invisible(ctx context.Context, id, cents int64) error {
	release, err := s.Out.Lock(ctx, "invisible")
	if err != nil {
		return err
	}
	defer release()
	return s.Orders.Pay(ctx, id, cents)
}

// Standard has a lock of etcd behind sync.Locker, which tells no errors.
func Standard(ctx context.Context, session *concurrency.Session, orders *store.Orders, id, cents int64) error {
	l := lock.Local(session, "standard")
	l.Lock() // want: unfenced // verdict: unfenced // lock: /local/standard
	defer l.Unlock()
	return orders.Pay(ctx, id, cents)
}

// New wires the service.
func New(session *concurrency.Session, locks lock.Locker, seq lock.Sequencer, orders *store.Orders) *Injected {
	return &Injected{Locks: locks, Seq: seq, Orders: orders, Local: lock.Local(session, "field")}
}

// Field: the sync.Locker is in a field, and only one is ever stored there.
func (s *Injected) Field(ctx context.Context, id, cents int64) error {
	s.Local.Lock() // gap: FN lock the constructor that stores it is not asked // gap: FN unfenced likewise
	defer s.Local.Unlock()
	return s.Orders.Pay(ctx, id, cents)
}
