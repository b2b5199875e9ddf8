// Package offered is given what tells the loss of its locks, and does not look at it.
package offered

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/consul/api"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"example.org/locks/checks/renewal/helm"
)

// Course is implemented outside of this module.
type Course interface {
	Correct(ctx context.Context) error
}

// Steer stops when it is told to, and not when somebody else steers.
func Steer(ctx context.Context, c *clientv3.Client, course Course) (err error) {
	h, err := helm.Take(ctx, c, "brig") // want: renewal // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Leave(context.WithoutCancel(ctx))) }()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if err := course.Correct(ctx); err != nil {
				return err
			}
		}
	}
}

// Tow has a rope that says when it slips.
func Tow(ctx context.Context, c *api.Client, courses []Course) (err error) {
	r, err := helm.Seize(ctx, c, "tow") // want: renewal // linked // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Drop()) }()
	for _, course := range courses {
		if err := course.Correct(ctx); err != nil {
			return err
		}
	}
	return nil
}

// watch is one on the bridge, with its session for all to see.
type watch struct {
	Session *concurrency.Session
	lock    *concurrency.Mutex
}

func (w *watch) end(ctx context.Context) error {
	return errors.Join(w.lock.Unlock(ctx), w.Session.Close())
}

func begin(ctx context.Context, c *clientv3.Client) (*watch, error) {
	s, err := concurrency.NewSession(c)
	if err != nil {
		return nil, err
	}
	w := &watch{Session: s, lock: concurrency.NewMutex(s, "/watch")}
	if err := w.lock.Lock(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return w, nil
}

// Stand runs what it is given to the end.
func Stand(ctx context.Context, c *clientv3.Client, turns func(context.Context) error) (err error) {
	w, err := begin(ctx, c) // want: renewal
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.end(context.WithoutCancel(ctx))) }()
	return turns(ctx)
}
