package bad

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// Batch sends its batch, and asks only whether that was sent.
func Batch(ctx context.Context, rdb *redis.Client, owner string, count func() int) (int, error) {
	pipe := rdb.TxPipeline()
	pipe.SetNX(ctx, "lock:stocktaking", owner, time.Minute) // want: acquire
	pipe.Incr(ctx, "stocktaking:tries")
	if _, err := pipe.Exec(ctx); err != nil {
		return 0, err
	}
	defer drop.Run(context.WithoutCancel(ctx), rdb, []string{"lock:stocktaking"}, owner)
	return count(), nil
}
