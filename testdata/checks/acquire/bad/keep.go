package bad

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

var give = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Keep keeps the life of a key that is not there yet, and so has no end.
func Keep(ctx context.Context, rdb *redis.Client, owner string, work func(context.Context) error) error {
	ok, err := rdb.SetNX(ctx, "lock:keep", owner, redis.KeepTTL).Result() // want: acquire
	if err != nil || !ok {
		return errors.Join(err, errBusy)
	}
	defer give.Run(context.WithoutCancel(ctx), rdb, []string{"lock:keep"}, owner)
	return work(ctx)
}
