package bad

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// Done sends one command under its lock, and Redis runs one command at a time.
func Done(ctx context.Context, locks *redislock.Client, rdb *redis.Client, id string) error {
	l, err := locks.Obtain(ctx, "lock:done", 5*time.Second, nil) // note: redundantlock // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return rdb.ZRem(ctx, "due", id).Err() // note: unfenced
}
