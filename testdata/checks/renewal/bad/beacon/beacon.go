// Package beacon refreshes a key in a bucket by writing it again.
package beacon

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

type Options struct {
	Keeper string
	Life   time.Duration
}

type Beacon struct {
	bucket jetstream.KeyValue
	opts   Options
}

// Tend runs fire while this keeper has the beacon.
func (b *Beacon) Tend(ctx context.Context, fire func(context.Context) error) error {
	first, err := b.bucket.Create(ctx, "beacon.keeper", []byte(b.opts.Keeper)) // verdict: unverified
	if errors.Is(err, jetstream.ErrKeyExists) {
		return nil
	}
	if err != nil {
		return err
	}
	lit, out := context.WithCancelCause(ctx)
	defer out(nil)
	last := make(chan uint64, 1)
	go func() { last <- b.feed(lit, out, first) }()
	err = fire(lit)
	out(nil)
	return errors.Join(err, b.bucket.Delete(context.WithoutCancel(ctx), "beacon.keeper", jetstream.LastRevision(<-last)))
}

func (b *Beacon) feed(ctx context.Context, out context.CancelCauseFunc, revision uint64) uint64 {
	logs := time.NewTicker(b.opts.Life / 3)
	defer logs.Stop()
	for {
		select {
		case <-ctx.Done():
			return revision
		case <-logs.C:
			next, err := b.bucket.Put(ctx, "beacon.keeper", []byte(b.opts.Keeper)) // want: renewal
			if err != nil {
				out(err)
				return revision
			}
			revision = next
		}
	}
}
