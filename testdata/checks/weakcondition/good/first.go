package good

import (
	"context"

	"github.com/redis/go-redis/v9"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// opened makes the record with HSETNX, and moves its token with every write after that.
var opened = redis.NewScript(`
local seen = redis.call("HGET", KEYS[1], "fence")
if seen and tonumber(seen) > tonumber(ARGV[2]) then
	return 0
end
redis.call("HSETNX", KEYS[1], "made", ARGV[3])
redis.call("HSET", KEYS[1], "value", ARGV[1], "fence", ARGV[2])
return 1`)

func Opened(ctx context.Context, session *concurrency.Session, rdb *redis.Client, key, value, made string) error {
	return withToken(ctx, session, "/locks/opened", func(token int64) error { // verdict: fenced
		n, err := opened.Run(ctx, rdb, []string{key}, value, token, made).Int()
		if err == nil && n == 0 {
			err = errStale
		}
		return err
	})
}
