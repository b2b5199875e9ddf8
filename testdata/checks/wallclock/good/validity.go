package good

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// count stops when its lock is over, by the clock of this process.
func count(ctx context.Context, rdb *redis.Client, ttl time.Duration, step func() bool) (n int, err error) {
	expires, owner := time.Now().Add(ttl), rand.Text()
	ok, err := rdb.SetNX(ctx, "lock:count", owner, ttl).Result()
	if err != nil || !ok {
		return 0, errors.Join(errBusy, err)
	}
	defer drop.Run(context.WithoutCancel(ctx), rdb, []string{"lock:count"}, owner)
	for step() {
		if time.Now().After(expires) {
			return n, errors.New("lock expired while counting")
		}
		n++
	}
	return n, nil
}
