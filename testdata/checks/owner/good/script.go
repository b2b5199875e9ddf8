package good

import (
	"context"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var enter = redis.NewScript(`
local owner = redis.call("GET", KEYS[1])
if owner == false or owner == ARGV[1] then
	redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
	return 1
end
return 0`)

var leave = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Shard is somebody else each time.
func Shard(ctx context.Context, rdb *redis.Client, shard string, work func(context.Context) error) error {
	me, key := uuid.NewString(), "lock:shard:"+shard
	n, err := enter.Run(ctx, rdb, []string{key}, me, 30000).Int()
	if err != nil {
		return err
	}
	if n != 1 {
		return errBusy
	}
	defer leave.Run(context.WithoutCancel(ctx), rdb, []string{key}, me)
	return work(ctx)
}
