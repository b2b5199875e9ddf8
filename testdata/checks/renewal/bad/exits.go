package bad

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/bsm/redislock"
)

// A Tram is renewed by a goroutine that gives up after a failure, each try with a deadline of
// its own. That it is gone is told to nobody.
type Tram struct {
	locker *redislock.Client
	lease  *redislock.Lock
	quit   chan struct{}
}

// Board takes the tram.
func (t *Tram) Board(ctx context.Context, line string) (err error) {
	if t.lease, err = t.locker.Obtain(ctx, "tram:"+line, time.Minute, nil); err != nil {
		return err
	}
	t.quit = make(chan struct{})
	go t.hold(context.WithoutCancel(ctx))
	return nil
}

func (t *Tram) hold(ctx context.Context) {
	every := time.NewTicker(15 * time.Second)
	defer every.Stop()
	for {
		select {
		case <-t.quit:
			return
		case <-every.C:
			if !t.once(ctx) { // want: renewal
				return
			}
		}
	}
}

func (t *Tram) once(ctx context.Context) bool {
	short, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := t.lease.Refresh(short, time.Minute, nil); err != nil {
		slog.Warn("tram is lost", "err", err)
		return false
	}
	return true
}

// Leave gives it back.
func (t *Tram) Leave(ctx context.Context) error {
	close(t.quit)
	return t.lease.Release(context.WithoutCancel(ctx))
}

// Ride drives to all stops.
func Ride(ctx context.Context, t *Tram, line string, stops []string, drive func(context.Context, string) error) (err error) {
	if err := t.Board(ctx, line); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Leave(ctx)) }()
	for _, stop := range stops {
		if err := drive(ctx, stop); err != nil {
			return err
		}
	}
	return nil
}

// Ferry has it all in one function.
func Ferry(ctx context.Context, c *redislock.Client, trips []string, sail func(context.Context, string) error) error {
	lease, err := c.Obtain(ctx, "ferry", time.Minute, nil)
	if err != nil {
		return err
	}
	defer lease.Release(context.WithoutCancel(ctx))
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Second):
			}
			short, cancel := context.WithTimeout(ctx, 10*time.Second)
			err := lease.Refresh(short, time.Minute, nil) // want: renewal
			cancel()
			if err != nil {
				slog.Warn("ferry is lost", "err", err)
				return
			}
		}
	}()
	for _, trip := range trips {
		if err := sail(ctx, trip); err != nil {
			return err
		}
	}
	return nil
}
