package good

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// TideTable works the tide table out once for many who ask at a time, if the lock is to be had;
// else each works it out for itself, which comes to the same.
func TideTable(ctx context.Context, locker *redislock.Client, rdb *redis.Client, port string, work func(string) (string, error)) (string, error) {
	if table, err := rdb.Get(ctx, "cache:tide:"+port).Result(); err == nil {
		return table, nil
	}
	if once, err := locker.Obtain(ctx, "cache:tide:lock:"+port, time.Minute, nil); err == nil { // note: acquire // verdict: unfenced
		defer once.Release(context.WithoutCancel(ctx))
	}
	table, err := work(port)
	if err != nil {
		return "", err
	}
	return table, rdb.Set(ctx, "cache:tide:"+port, table, time.Hour).Err()
}
