package good

import (
	"context"
	"errors"
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
}

func NewKept(rdb *redis.ClusterClient) *Kept {
	return &Kept{rdb: rdb, grant: redis.NewScript(grantText)}
}

func (k *Kept) Take(ctx context.Context, id, me string) (int64, error) {
	n, err := k.grant.Run(ctx, k.rdb, []string{"kept:{" + id + "}", "keptfence:{" + id + "}"}, me, time.Minute.Milliseconds()).Int64()
	if err == nil && n == 0 {
		err = errors.New("held")
	}
	return n, err
}
