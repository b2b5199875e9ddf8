// Package helm takes locks for others, who have to look after them.
package helm

import (
	"context"
	"errors"

	"github.com/hashicorp/consul/api"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Helm is held as long as its session is.
type Helm struct {
	*concurrency.Session
	lock *concurrency.Mutex
}

// Take waits for the helm.
func Take(ctx context.Context, c *clientv3.Client, ship string) (*Helm, error) {
	s, err := concurrency.NewSession(c, concurrency.WithTTL(20))
	if err != nil {
		return nil, err
	}
	m := concurrency.NewMutex(s, "/helm/"+ship)
	if err := m.Lock(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &Helm{Session: s, lock: m}, nil
}

// Leave gives it back.
func (h *Helm) Leave(ctx context.Context) error {
	return errors.Join(h.lock.Unlock(ctx), h.Session.Close())
}

// Rope is held until it slips.
type Rope struct {
	lock  *api.Lock
	slips <-chan struct{}
}

// Slips tells when.
func (r *Rope) Slips() <-chan struct{} { return r.slips }

// Drop lets it go.
func (r *Rope) Drop() error { return r.lock.Unlock() }

// Seize waits for the rope.
func Seize(ctx context.Context, c *api.Client, name string) (*Rope, error) {
	l, err := c.LockOpts(&api.LockOptions{Key: "rope/" + name, SessionTTL: "30s"})
	if err != nil {
		return nil, err
	}
	slips, err := l.Lock(ctx.Done())
	if err != nil {
		return nil, err
	}
	if slips == nil {
		return nil, ctx.Err()
	}
	return &Rope{lock: l, slips: slips}, nil
}
