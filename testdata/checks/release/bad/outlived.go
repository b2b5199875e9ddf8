package bad

import (
	"context"
	"log"
	"time"

	"github.com/hashicorp/consul/api"
)

// A client of Consul renews the session of a lock until that is released, also where the
// lock is lost: who comes back for it waits for its own old session then.

// Pilot guides ships, one after the other.
type Pilot struct {
	client *api.Client
	guide  func(context.Context) error
}

// Serve waits for the next turn, whatever became of the last.
func (p *Pilot) Serve(ctx context.Context, port string) {
	for ctx.Err() == nil {
		if err := p.turn(ctx, port); err != nil {
			log.Printf("turn in %s: %v", port, err)
			time.Sleep(time.Second)
		}
	}
}

func (p *Pilot) turn(ctx context.Context, port string) error {
	l, err := p.client.LockKey("pilot/" + port)
	if err != nil {
		return err
	}
	gone, err := l.Lock(ctx.Done()) // want: release // verdict: unverified
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
		<-done
		return errBusy
	case err = <-done:
	}
	if e := l.Unlock(); err == nil {
		err = e
	}
	return err
}

// Tow takes one of three places at the quay for each tow.
func Tow(ctx context.Context, client *api.Client, tow func(context.Context, <-chan struct{}) bool) error {
	for {
		s, err := client.SemaphorePrefix("tugs", 3)
		if err != nil {
			return err
		}
		gone, err := s.Acquire(ctx.Done()) // want: release // verdict: unverified
		if err != nil {
			return err
		}
		if gone == nil {
			return ctx.Err()
		}
		done := make(chan bool, 1)
		go func() { done <- tow(ctx, gone) }()
		select {
		case <-gone:
			log.Print("the place was lost")
			<-done
			continue
		case more := <-done:
			if err := s.Release(); err != nil || !more {
				return err
			}
		}
	}
}
