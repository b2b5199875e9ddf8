package bad

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// Radio plays what was wished for.
type Radio struct {
	rdb   *redis.Client
	locks *redislock.Client
}

// Start sets the channel playing, and whoever plays has no lock of its own.
func (r *Radio) Start(ctx context.Context, channel string, wishes []string) error {
	lock, err := r.locks.Obtain(ctx, "channel:"+channel, time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	go func() { // want: earlyrelease
		for _, wish := range wishes {
			r.rdb.Set(context.WithoutCancel(ctx), "playing:"+channel, wish, 0) // want: unfenced
		}
	}()
	return r.rdb.Set(ctx, "playing:"+channel, "jingle", 0).Err()
}
