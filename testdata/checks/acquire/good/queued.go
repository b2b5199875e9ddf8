package good

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Batch asks for the answer when the batch is sent; before, there is none.
func Batch(ctx context.Context, rdb *redis.Client, owner string, count func() int) (int, error) {
	pipe := rdb.TxPipeline()
	got := pipe.SetNX(ctx, "lock:stocktaking", owner, time.Minute)
	pipe.Incr(ctx, "stocktaking:tries")
	if _, err := pipe.Exec(ctx); err != nil {
		return 0, err
	}
	if !got.Val() {
		return 0, errors.New("busy")
	}
	defer drop.Run(context.WithoutCancel(ctx), rdb, []string{"lock:stocktaking"}, owner)
	return count(), nil
}

// Recount does so by a function that fills the batch.
func Recount(ctx context.Context, rdb *redis.Client, owner string, count func() int) (int, error) {
	var got *redis.BoolCmd
	_, err := rdb.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
		got = pipe.SetNX(ctx, "lock:stocktaking", owner, time.Minute)
		pipe.Incr(ctx, "stocktaking:tries")
		return nil
	})
	if err != nil {
		return 0, err
	}
	if !got.Val() {
		return 0, errors.New("busy")
	}
	defer drop.Run(context.WithoutCancel(ctx), rdb, []string{"lock:stocktaking"}, owner)
	return count(), nil
}
