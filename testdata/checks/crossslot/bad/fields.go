package bad

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

const grantText = `
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
  return redis.call("INCR", KEYS[2])
end
return 0`

// Kept has its script from the function that makes it.
type Kept struct {
	rdb   *redis.ClusterClient
	grant *redis.Script
	free  string
}

func NewKept(rdb *redis.ClusterClient) *Kept {
	return &Kept{
		rdb: rdb, grant: redis.NewScript(grantText),
		free: `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1], KEYS[2]) end return 0`,
	}
}

func (k *Kept) Take(ctx context.Context, id, me string) (int64, error) {
	n, err := k.grant.Run(ctx, k.rdb, []string{"kept:" + id, "keptfence:" + id}, me, time.Minute.Milliseconds()).Int64() // want: crossslot
	if err == nil && n == 0 {
		err = errHeld
	}
	return n, err
}

func (k *Kept) Drop(ctx context.Context, id, me string) error {
	return k.rdb.Eval(ctx, k.free, []string{"kept:" + id, "waiting:" + id}, me).Err() // want: crossslot
}
