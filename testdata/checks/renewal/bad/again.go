package bad

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// Reindex believes that taking the lock again prolongs it.
func Reindex(ctx context.Context, rdb *redis.Client, me string, run func(context.Context) error) error {
	ok, err := rdb.SetNX(ctx, "lock:reindex", me, 30*time.Second).Result()
	if err != nil || !ok {
		return errors.Join(err, errors.New("held"))
	}
	defer drop.Run(context.WithoutCancel(ctx), rdb, []string{"lock:reindex"}, me)
	done := make(chan struct{})
	defer close(done)
	go func() {
		tick := time.NewTicker(10 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				rdb.SetNX(ctx, "lock:reindex", me, 30*time.Second) // want: renewal // verdict: no-visible-write
			}
		}
	}()
	return run(ctx)
}

var drop = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`)

// Mirror starts a renewal that goes on when the mirror is complete.
func Mirror(ctx context.Context, locker *redislock.Client, failed func(error), run func(context.Context) error) error {
	l, err := locker.Obtain(ctx, "mirror", 30*time.Second, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	go func() {
		for range time.Tick(10 * time.Second) {
			if err := l.Refresh(ctx, 30*time.Second, nil); err != nil { // want: renewal
				failed(err)
			}
		}
	}()
	return run(ctx)
}
