package good

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/consul/api"
)

// pass is for nothing where it never ends.
type pass struct {
	lock *api.Lock
	void <-chan struct{}
}

func (p *pass) ends() <-chan struct{} { return p.void }

func issue(ctx context.Context, c *api.Client, gate string) (*pass, error) {
	l, err := c.LockOpts(&api.LockOptions{Key: "gate/" + gate, SessionTTL: "30s", LockTryOnce: true, LockWaitTime: 4 * time.Second})
	if err != nil {
		return nil, err
	}
	void, err := l.Lock(ctx.Done())
	if err != nil {
		return nil, err
	}
	return &pass{lock: l, void: void}, nil
}

// Enter asks the pass itself.
func Enter(ctx context.Context, c *api.Client, gate string, stroll func(context.Context) error) (err error) {
	p, err := issue(ctx, c, gate)
	if err != nil {
		return err
	}
	if p.ends() == nil {
		return errors.New("somebody is inside")
	}
	defer func() { err = errors.Join(err, p.lock.Unlock()) }()
	within, out := context.WithCancel(ctx)
	defer out()
	go func() {
		select {
		case <-p.ends():
			out()
		case <-within.Done():
		}
	}()
	return stroll(within)
}

// Turnstile lets others look at its channel, by an interface.
type Turnstile struct {
	lock *api.Lock
	void <-chan struct{}
}

// Ends is for whoever has the turnstile.
func (t *Turnstile) Ends() <-chan struct{} { return t.void }

type ending interface{ Ends() <-chan struct{} }

func turns(e ending) bool { return e.Ends() != nil }

// Turn asks through that.
func Turn(ctx context.Context, c *api.Client, stroll func(context.Context) error) (err error) {
	l, err := c.LockOpts(&api.LockOptions{Key: "turnstile", SessionTTL: "30s", LockTryOnce: true, LockWaitTime: 4 * time.Second})
	if err != nil {
		return err
	}
	void, err := l.Lock(ctx.Done())
	if err != nil {
		return err
	}
	t := &Turnstile{lock: l, void: void}
	if !turns(t) {
		return errors.New("somebody is inside")
	}
	defer func() { err = errors.Join(err, l.Unlock()) }()
	return watched(ctx, t.Ends(), stroll)
}

func watched(ctx context.Context, end <-chan struct{}, stroll func(context.Context) error) error {
	within, out := context.WithCancel(ctx)
	defer out()
	go func() {
		select {
		case <-end:
			out()
		case <-within.Done():
		}
	}()
	return stroll(within)
}
