package good

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// A kiln goes from cold to hot where it is cold: whoever comes too late finds it hot.
var heat = redis.NewScript(`
if redis.call("HGET", KEYS[1], "state") ~= ARGV[1] then
  return 0
end
redis.call("HSET", KEYS[1], "state", ARGV[2])
redis.call("EXPIRE", KEYS[1], ARGV[3])
return 1`)

// Heat heats one.
func Heat(ctx context.Context, locker *redislock.Client, rdb *redis.Client, kiln string) error {
	lock, err := locker.Obtain(ctx, "lock:kiln:"+kiln, 10*time.Second, nil) // note: redundantlock // verdict: fenced
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	hot, err := heat.Run(ctx, rdb, []string{"kiln:" + kiln}, "cold", "hot", 3600).Bool()
	if err != nil {
		return err
	}
	if !hot {
		return errors.New("it was not cold")
	}
	return nil
}
