package bad

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// Whoever asks for a kiln that is cold gets it, and it stays cold: the next one does too.
var fire = redis.NewScript(`
if redis.call("HGET", KEYS[1], "state") ~= ARGV[1] then
  return 0
end
redis.call("HSET", KEYS[1], "load", ARGV[2])
return 1`)

// Fire fires one.
func Fire(ctx context.Context, locker *redislock.Client, rdb *redis.Client, kiln, load string) error {
	lock, err := locker.Obtain(ctx, "lock:kiln:"+kiln, 10*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	mine, err := fire.Run(ctx, rdb, []string{"kiln:" + kiln}, "cold", load).Bool() // want: unfenced
	if err != nil {
		return err
	}
	if !mine {
		return errors.New("it was not cold")
	}
	return nil
}
