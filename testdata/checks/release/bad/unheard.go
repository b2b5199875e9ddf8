package bad

import (
	"context"
	"errors"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

// A Loom weaves for longer than it thinks.
type Loom interface {
	Weave(ctx context.Context, pattern string) error
}

// Carpet hears of a release that could not be sent, but not of one that came too late.
func Carpet(ctx context.Context, rs *redsync.Redsync, loom Loom, pattern string) (err error) {
	m := rs.NewMutex("carpet:"+pattern, redsync.WithExpiry(20*time.Second))
	if err := m.LockContext(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() {
		if _, e := m.UnlockContext(context.WithoutCancel(ctx)); e != nil { // note: release
			err = errors.Join(err, e)
		}
	}()
	return loom.Weave(ctx, pattern)
}

var untie = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Scarf does the same with a script that counts.
func Scarf(ctx context.Context, rdb *redis.Client, loom Loom, me string) (err error) {
	tied, err := rdb.SetNX(ctx, "lock:scarf", me, 20*time.Second).Result() // verdict: unverified
	if err != nil || !tied {
		return errors.Join(err, errors.New("in use"))
	}
	err = loom.Weave(ctx, "scarf")
	return errors.Join(err, untie.Run(context.WithoutCancel(ctx), rdb, []string{"lock:scarf"}, me).Err()) // note: release
}
