package bad

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Gates opens and shuts gates of a lock chamber. Without a client it refuses to: that is
// no matter of who has shut which gate.
type Gates struct{ rdb *redis.Client }

var errNoClient = errors.New("gates: no client")

func (g *Gates) lockGate(ctx context.Context, gate string) (bool, error) {
	return g.rdb.SetNX(ctx, "gate:"+gate, "shut", time.Minute).Result()
}

func (g *Gates) drop(ctx context.Context, key string) error {
	if g.rdb == nil {
		return errNoClient
	}
	return g.rdb.Del(ctx, key).Err()
}

func (g *Gates) unlockGate(ctx context.Context, gate string) error {
	return g.drop(ctx, "gate:"+gate) // want: release
}

// Fill defers the release before it looks whether it has the gate.
func (g *Gates) Fill(ctx context.Context, gate string, job Job) error {
	ok, err := g.lockGate(ctx, gate) // note: release // verdict: unverified
	if err != nil {
		return err
	}
	defer g.unlockGate(context.WithoutCancel(ctx), gate) // want: release
	if !ok {
		return nil
	}
	return job.Run(ctx)
}

// Drain does so in a closure.
func (g *Gates) Drain(ctx context.Context, gate string, job Job) error {
	ok, err := g.lockGate(ctx, gate) // note: release // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { _ = g.unlockGate(context.WithoutCancel(ctx), gate) }() // want: release
	if !ok {
		return nil
	}
	return job.Run(ctx)
}
