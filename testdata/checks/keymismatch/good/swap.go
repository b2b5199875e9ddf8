package good

import (
	"context"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

// Swap compares and changes data of its own: no lock is renewed by that. That the
// value was another by then is an error.
func Swap(ctx context.Context, locks *redsync.Redsync, rdb *redis.Client, next string) error {
	mutex := locks.NewMutex("swap", redsync.WithExpiry(time.Minute))
	if err := mutex.LockContext(ctx); err != nil { // verdict: fenced
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	last, err := rdb.Get(ctx, "state").Result()
	if err != nil {
		return err
	}
	return rdb.SetIFEQ(ctx, "state", next, last, 0).Err()
}
