package good

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

// A Loom weaves for longer than it thinks.
type Loom interface {
	Weave(ctx context.Context, pattern string) error
}

var errUntied = errors.New("lock was lost")

// Carpet looks at the error alone, which says that the lock was lost as well.
func Carpet(ctx context.Context, rs *redsync.Redsync, loom Loom, pattern string) (err error) {
	m := rs.NewMutex("carpet:"+pattern, redsync.WithExpiry(20*time.Second))
	if err := m.LockContext(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() {
		_, e := m.UnlockContext(context.WithoutCancel(ctx))
		err = errors.Join(err, e)
	}()
	return loom.Weave(ctx, pattern)
}

var untie = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Scarf counts.
func Scarf(ctx context.Context, rdb *redis.Client, loom Loom, me string) (err error) {
	tied, err := rdb.SetNX(ctx, "lock:scarf", me, 20*time.Second).Result() // verdict: unverified
	if err != nil || !tied {
		return errors.Join(err, errors.New("in use"))
	}
	err = loom.Weave(ctx, "scarf")
	n, e := untie.Run(context.WithoutCancel(ctx), rdb, []string{"lock:scarf"}, me).Int()
	if e == nil && n == 0 {
		e = errUntied
	}
	return errors.Join(err, e)
}

// Hem uses a library that makes an error of it.
func Hem(ctx context.Context, locker *redislock.Client, loom Loom) (err error) {
	l, err := locker.Obtain(ctx, "hem", 20*time.Second, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release(context.WithoutCancel(ctx))) }()
	return loom.Weave(ctx, "hem")
}
