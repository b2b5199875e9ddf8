package good

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// Radio plays what was wished for, and counts its listeners.
type Radio struct {
	rdb   *redis.Client
	locks *redislock.Client
}

func (r *Radio) tune(ctx context.Context, channel string) (*redislock.Lock, error) {
	return r.locks.Obtain(ctx, "channel:"+channel, time.Second, nil)
}

// heard counts, which is one step of the store's.
func (r *Radio) heard(channel string) { r.rdb.Incr(context.Background(), "heard:"+channel) }

// Stop sets the channel silent, and counts meanwhile.
func (r *Radio) Stop(ctx context.Context, channel string) error {
	lock, err := r.tune(ctx, channel) // verdict: unfenced
	if err != nil {
		return err
	}
	go r.heard(channel)
	r.rdb.Set(ctx, "playing:"+channel, "silence", 0) // want: unfenced
	return lock.Release(context.WithoutCancel(ctx))
}

// play takes the channel for each wish.
func (r *Radio) play(ctx context.Context, channel string, wishes <-chan string) {
	for wish := range wishes {
		lock, err := r.tune(ctx, channel) // verdict: unfenced
		if err != nil {
			continue
		}
		r.rdb.Set(ctx, "playing:"+channel, wish, 0) // note: unfenced
		lock.Release(context.WithoutCancel(ctx))
		time.Sleep(3 * time.Second)
	}
}

// Start sets the channel playing: who plays takes it anew for each wish.
func (r *Radio) Start(ctx context.Context, channel string, wishes <-chan string) error {
	lock, err := r.tune(ctx, channel) // verdict: unfenced
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	go r.play(context.WithoutCancel(ctx), channel, wishes)
	return r.rdb.Set(ctx, "playing:"+channel, "jingle", 0).Err() // want: unfenced
}
