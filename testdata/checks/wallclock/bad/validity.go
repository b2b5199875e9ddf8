package bad

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

var drop = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`)

// count stops when its lock is over, by a time that has been through UTC.
func count(ctx context.Context, rdb *redis.Client, ttl time.Duration, step func() bool) (n int, err error) {
	expires, owner := time.Now().UTC().Add(ttl), rand.Text()
	ok, err := rdb.SetNX(ctx, "lock:count", owner, ttl).Result()
	if err != nil || !ok {
		return 0, errors.Join(errBusy, err)
	}
	defer drop.Run(context.WithoutCancel(ctx), rdb, []string{"lock:count"}, owner)
	for step() {
		if time.Now().After(expires) { // want: wallclock
			return n, errors.New("lock expired while counting")
		}
		n++
	}
	return n, nil
}
