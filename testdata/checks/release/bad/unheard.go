package bad

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// A Loom weaves for longer than it thinks.
type Loom interface {
	Weave(ctx context.Context, pattern string) error
}

var untie = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Scarf hears of a release that could not be sent, but not of one that came too late.
func Scarf(ctx context.Context, rdb *redis.Client, loom Loom, me string) (err error) {
	tied, err := rdb.SetNX(ctx, "lock:scarf", me, 20*time.Second).Result() // verdict: unverified
	if err != nil || !tied {
		return errors.Join(err, errors.New("in use"))
	}
	err = loom.Weave(ctx, "scarf")
	return errors.Join(err, untie.Run(context.WithoutCancel(ctx), rdb, []string{"lock:scarf"}, me).Err()) // note: release
}
