// Package offered is given what tells the loss of its locks, and looks at it or leaves that to others.
package offered

import (
	"context"
	"errors"
	"io"

	"github.com/hashicorp/consul/api"
	clientv3 "go.etcd.io/etcd/client/v3"

	"example.org/locks/checks/renewal/helm"
)

// Course is implemented outside of this module.
type Course interface {
	Correct(ctx context.Context) error
}

// Pilot may look at whatever it is given.
type Pilot interface {
	Guide(ctx context.Context, h *helm.Helm, courses []Course) error
}

// Steer leaves the helm to a pilot.
func Steer(ctx context.Context, c *clientv3.Client, p Pilot, courses []Course) (err error) {
	h, err := helm.Take(ctx, c, "brig") // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Leave(context.WithoutCancel(ctx))) }()
	for range 3 {
		if err := p.Guide(ctx, h, courses); err != nil {
			return err
		}
	}
	return nil
}

// Tow stops where the rope slips.
func Tow(ctx context.Context, c *api.Client, courses []Course) (err error) {
	r, err := helm.Seize(ctx, c, "tow") // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Drop()) }()
	held, slipped := context.WithCancelCause(ctx)
	defer slipped(nil)
	go until(held, r, slipped)
	for _, course := range courses {
		if err := course.Correct(held); err != nil {
			return err
		}
	}
	return nil
}

func until(ctx context.Context, r *helm.Rope, slipped context.CancelCauseFunc) {
	select {
	case <-r.Slips():
		slipped(errors.New("the rope has slipped"))
	case <-ctx.Done():
	}
}

// Log has its helm closed by whoever closes the log.
type Log struct {
	Held io.Closer
}

// Open keeps the helm for others.
func Open(ctx context.Context, c *clientv3.Client, courses []Course) (*Log, error) {
	h, err := helm.Take(ctx, c, "log")
	if err != nil {
		return nil, err
	}
	for _, course := range courses {
		if err := course.Correct(ctx); err != nil {
			return nil, errors.Join(err, h.Leave(ctx))
		}
	}
	return &Log{Held: h}, nil
}
