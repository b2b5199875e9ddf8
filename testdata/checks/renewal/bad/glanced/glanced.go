// Package glanced asks its leases how long they live, for nothing but a line of the log:
// who drops the outcome of a renewal beside that does not hear of the loss.
package glanced

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
)

// Berth is kept by a goroutine.
type Berth struct {
	mu   *redsync.Mutex
	stop chan struct{}
}

// Moor takes a berth.
func Moor(ctx context.Context, rs *redsync.Redsync, quay string) (*Berth, error) {
	b := &Berth{mu: rs.NewMutex("berth:" + quay), stop: make(chan struct{})}
	if err := b.mu.LockContext(ctx); err != nil {
		return nil, err
	}
	log.Printf("moored at %s for %s", quay, time.Until(b.mu.Until()).Round(time.Second))
	go b.stay(ctx)
	return b, nil
}

func (b *Berth) stay(ctx context.Context) {
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-b.stop:
			return
		case <-tick.C:
			b.mu.ExtendContext(ctx) // want: renewal
		}
	}
}

// CastOff gives the berth back.
func (b *Berth) CastOff(ctx context.Context) error {
	close(b.stop)
	ok, err := b.mu.UnlockContext(context.WithoutCancel(ctx))
	if err == nil && !ok {
		return redsync.ErrFailed
	}
	return err
}

// Unload unloads while the berth is ours.
func Unload(ctx context.Context, rs *redsync.Redsync, quay string, crane func(context.Context) error) (err error) {
	b, err := Moor(ctx, rs, quay)
	if err != nil {
		return err
	}
	defer func() {
		if e := b.CastOff(ctx); err == nil {
			err = e
		}
	}()
	return crane(ctx)
}

// Dredge shows how long its lease lives, and goes on whatever that is.
func Dredge(ctx context.Context, locks *redislock.Client, basin string, scoop func(context.Context) error) error {
	l, err := locks.Obtain(ctx, "basin:"+basin, 30*time.Second, nil)
	if err != nil {
		return fmt.Errorf("basin %s: %w", basin, err)
	}
	done := make(chan struct{})
	defer func() {
		close(done)
		if err := l.Release(context.WithoutCancel(ctx)); err != nil {
			slog.Warn("release", "error", err)
		}
	}()
	go func() {
		tick := time.NewTicker(8 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				_ = l.Refresh(ctx, 30*time.Second, nil) // want: renewal
				if ttl, err := l.TTL(ctx); err == nil {
					slog.Debug("lease", "left", ttl.String())
				}
			}
		}
	}()
	return scoop(ctx)
}
