package good

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/hashicorp/consul/api"
)

// Pilot guides ships.
type Pilot struct {
	client *api.Client
	guide  func(context.Context) error
}

// Serve waits for the next turn.
func (p *Pilot) Serve(ctx context.Context, port string) {
	for ctx.Err() == nil {
		if err := p.turn(ctx, port); err != nil {
			log.Printf("turn in %s: %v", port, err)
			time.Sleep(time.Second)
		}
	}
}

// turn ends the session on all ways.
func (p *Pilot) turn(ctx context.Context, port string) error {
	l, err := p.client.LockKey("pilot/" + port)
	if err != nil {
		return err
	}
	gone, err := l.Lock(ctx.Done()) // verdict: unverified
	if err != nil {
		return err
	}
	if gone == nil {
		return ctx.Err()
	}
	held, end := context.WithCancel(ctx)
	defer end()
	done := make(chan error, 1)
	go func() { done <- p.guide(held) }()
	select {
	case <-gone:
		end()
		return errors.Join(errBusy, <-done, l.Unlock())
	case err = <-done:
		return errors.Join(err, l.Unlock())
	}
}

// Shift serves until a turn fails, and comes back for none.
func (p *Pilot) Shift(ctx context.Context, port string) error {
	for {
		if err := p.last(ctx, port); err != nil {
			return err
		}
	}
}

func (p *Pilot) last(ctx context.Context, port string) error {
	l, err := p.client.LockKey("pilot/" + port)
	if err != nil {
		return err
	}
	gone, err := l.Lock(ctx.Done()) // verdict: unverified
	if err != nil {
		return err
	}
	if gone == nil {
		return ctx.Err()
	}
	held, end := context.WithCancel(ctx)
	defer end()
	done := make(chan error, 1)
	go func() { done <- p.guide(held) }()
	select {
	case <-gone:
		return errBusy
	case err = <-done:
		return errors.Join(err, l.Unlock())
	}
}

// Own brings its own session, which the client leaves alone.
func (p *Pilot) Own(ctx context.Context, port, session string) {
	for ctx.Err() == nil {
		if err := p.within(ctx, port, session); err != nil {
			log.Print(err)
		}
	}
}

func (p *Pilot) within(ctx context.Context, port, session string) error {
	l, err := p.client.LockOpts(&api.LockOptions{Key: "pilot/" + port, Session: session})
	if err != nil {
		return err
	}
	gone, err := l.Lock(ctx.Done()) // verdict: unverified
	if err != nil {
		return err
	}
	if gone == nil {
		return ctx.Err()
	}
	held, end := context.WithCancel(ctx)
	defer end()
	done := make(chan error, 1)
	go func() { done <- p.guide(held) }()
	select {
	case <-gone:
		return errBusy
	case err = <-done:
		return errors.Join(err, l.Unlock())
	}
}
