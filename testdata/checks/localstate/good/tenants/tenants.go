// Package tenants remembers locks of sessions that renew themselves: counted, or
// for as long as the process has them.
package tenants

import (
	"context"
	"errors"
	"sync"

	"go.etcd.io/etcd/client/v3/concurrency"
)

var errBusy = errors.New("tenant is busy")

// Counted knows how many work on a tenant.
type Counted struct {
	mutex *concurrency.Mutex

	mu     sync.Mutex
	inside int
}

// Enter asks etcd for the first one.
func (c *Counted) Enter(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inside > 0 {
		c.inside++
		return nil
	}
	if err := c.mutex.TryLock(ctx); errors.Is(err, concurrency.ErrLocked) {
		return errBusy
	} else if err != nil {
		return err
	}
	c.inside = 1
	return nil
}

// Leave unlocks for the last one.
func (c *Counted) Leave(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inside--; c.inside > 0 {
		return nil
	}
	return c.mutex.Unlock(context.WithoutCancel(ctx))
}

// Bill works on the tenant.
func Bill(ctx context.Context, c *Counted, bill func(context.Context) error) (err error) {
	if err := c.Enter(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Leave(ctx)) }()
	return bill(ctx)
}

// Shards are those that this process has until it stops.
type Shards struct {
	session *concurrency.Session
	ours    map[string]*concurrency.Mutex
}

// Own makes sure of a shard.
func (s *Shards) Own(ctx context.Context, shard string) error {
	if _, ok := s.ours[shard]; ok {
		return nil
	}
	m := concurrency.NewMutex(s.session, "/shards/"+shard)
	if err := m.TryLock(ctx); errors.Is(err, concurrency.ErrLocked) {
		return errBusy
	} else if err != nil {
		return err
	}
	s.ours[shard] = m
	return nil
}

// Stop gives them all back.
func (s *Shards) Stop(ctx context.Context) (err error) {
	for shard, m := range s.ours {
		err = errors.Join(err, m.Unlock(ctx))
		delete(s.ours, shard)
	}
	return err
}

// Serve works on a shard that stays ours.
func Serve(ctx context.Context, s *Shards, shard string, serve func(context.Context) error) error {
	if err := s.Own(ctx, shard); err != nil { // verdict: unverified
		return err
	}
	return serve(ctx)
}
