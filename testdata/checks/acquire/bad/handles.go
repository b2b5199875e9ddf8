package bad

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/consul/api"
)

// Handles that are made of whatever a lock has answered, none included.

// pass lets through a gate until it is void.
type pass struct {
	lock *api.Lock
	void <-chan struct{}
}

func (p *pass) ends() <-chan struct{} { return p.void }

func (p *pass) hand() error { return p.lock.Unlock() }

func issue(ctx context.Context, c *api.Client, gate string) (*pass, error) {
	l, err := c.LockOpts(&api.LockOptions{Key: "gate/" + gate, SessionTTL: "30s", LockTryOnce: true, LockWaitTime: 4 * time.Second})
	if err != nil {
		return nil, err
	}
	void, err := l.Lock(ctx.Done()) // want: acquire
	if errors.Is(err, api.ErrLockHeld) {
		return nil, errors.New("we are in already")
	}
	if err != nil {
		return nil, fmt.Errorf("gate %s: %w", gate, err)
	}
	return &pass{lock: l, void: void}, nil
}

// Enter goes by the error alone.
func Enter(ctx context.Context, c *api.Client, gate string, stroll func(context.Context) error) (err error) {
	p, err := issue(ctx, c, gate)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.hand()) }()
	within, out := context.WithCancelCause(ctx)
	defer out(nil)
	go func() {
		select {
		case <-p.ends():
			out(errors.New("the pass is void"))
		case <-within.Done():
		}
	}()
	return stroll(within)
}

// Wicket keeps its lock.
type Wicket struct {
	api  *api.Client
	lock *api.Lock
	shut <-chan struct{}
}

// Open tries for some seconds.
func (w *Wicket) Open(ctx context.Context) (err error) {
	w.lock, err = w.api.LockOpts(&api.LockOptions{Key: "wicket", SessionTTL: "30s", LockTryOnce: true, LockWaitTime: 4 * time.Second})
	if err != nil {
		return err
	}
	w.shut, err = w.lock.Lock(ctx.Done()) // want: acquire
	return err
}

// Shut tells that the wicket is.
func (w *Wicket) Shut() <-chan struct{} { return w.shut }

// Close gives it back.
func (w *Wicket) Close() error { return w.lock.Unlock() }

// Slip goes through the wicket.
func Slip(ctx context.Context, c *api.Client, stroll func(context.Context) error) (err error) {
	w := &Wicket{api: c}
	if err := w.Open(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	within, out := context.WithCancel(ctx)
	defer out()
	go func() {
		select {
		case <-w.Shut():
			out()
		case <-within.Done():
		}
	}()
	return stroll(within)
}
