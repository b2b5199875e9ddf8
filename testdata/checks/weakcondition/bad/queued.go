package bad

import (
	"context"

	"github.com/gomodule/redigo/redis"
	"go.etcd.io/etcd/client/v3/concurrency"
)

var moor = redis.NewScript(1, `
local turn = tonumber(redis.call("HGET", KEYS[1], "turn") or "0")
if turn >= tonumber(ARGV[2]) then
	return 0
end
redis.call("HSET", KEYS[1], "ship", ARGV[1], "turn", ARGV[2])
return 1`)

// Moor queues what may be refused, and asks no more than whether all of it was run.
func Moor(ctx context.Context, session *concurrency.Session, pool *redis.Pool, ship string, quays []string) error {
	return withToken(ctx, session, "/harbour", func(token int64) error { // verdict: unfenced
		c := pool.Get()
		defer c.Close()
		if err := c.Send("MULTI"); err != nil {
			return err
		}
		for _, quay := range quays {
			if err := moor.Send(c, "quay:"+quay, ship, token); err != nil { // want: weakcondition
				return err
			}
		}
		_, err := c.Do("EXEC")
		return err
	})
}
