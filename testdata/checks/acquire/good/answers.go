package good

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Args is told of a holder by an error, redis.Nil, and of nothing else.
func Args(ctx context.Context, rdb *redis.Client, owner string, count func() int) (n int, err error) {
	err = rdb.SetArgs(ctx, "lock:args", owner, redis.SetArgs{Mode: "NX", TTL: time.Minute}).Err()
	if errors.Is(err, redis.Nil) {
		return 0, errors.New("busy")
	}
	if err != nil {
		return 0, err
	}
	defer drop.Run(context.WithoutCancel(ctx), rdb, []string{"lock:args"}, owner)
	return count(), nil
}
