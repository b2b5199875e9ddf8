package good

import (
	"context"
	"log/slog"
	"time"

	"github.com/bsm/redislock"
)

// A Funicular is renewed by a function that only returns when it fails: its caller ends the
// work then.
type Funicular struct {
	locker *redislock.Client
	lease  *redislock.Lock
	gone   chan struct{}
}

func (f *Funicular) hold(ctx context.Context) {
	every := time.NewTicker(15 * time.Second)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		short, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := f.lease.Refresh(short, time.Minute, nil)
		cancel()
		if err != nil {
			slog.Warn("funicular is lost", "err", err)
			return
		}
	}
}

// Climb cancels when it is not held any longer.
func (f *Funicular) Climb(ctx context.Context, up func(context.Context) error) (err error) {
	if f.lease, err = f.locker.Obtain(ctx, "funicular", time.Minute, nil); err != nil {
		return err
	}
	defer f.lease.Release(context.WithoutCancel(ctx))
	held, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		f.hold(held)
		stop()
	}()
	return up(held)
}

func (f *Funicular) watch(ctx context.Context) {
	defer close(f.gone)
	f.attend(ctx)
}

func (f *Funicular) attend(ctx context.Context) {
	for ctx.Err() == nil {
		time.Sleep(10 * time.Second)
		if err := f.lease.Refresh(ctx, time.Minute, nil); err != nil {
			slog.Warn("funicular is lost", "err", err)
			return
		}
	}
}

// Descend is told by a channel that is closed one function further.
func (f *Funicular) Descend(ctx context.Context, down func(context.Context, <-chan struct{}) error) (err error) {
	if f.lease, err = f.locker.Obtain(ctx, "funicular", time.Minute, nil); err != nil {
		return err
	}
	defer f.lease.Release(context.WithoutCancel(ctx))
	f.gone = make(chan struct{})
	go f.watch(ctx)
	return down(ctx, f.gone)
}
