package good

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

var putBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// patient tries five times, and says so.
func patient(ctx context.Context, rdb *redis.Client, key string) (func(context.Context) error, error) {
	me, held := rand.Text(), false
	for range 5 {
		ok, err := rdb.SetNX(ctx, key, me, time.Minute).Result()
		if err != nil {
			return nil, err
		}
		if ok {
			held = true
			break
		}
		time.Sleep(time.Second)
	}
	if !held {
		return nil, errors.New("no luck")
	}
	return func(ctx context.Context) error { return putBack.Run(ctx, rdb, []string{key}, me).Err() }, nil
}

// endless comes back when it has the lock.
func endless(ctx context.Context, rdb *redis.Client, key string) (func(context.Context) error, error) {
	me := rand.Text()
	for {
		ok, err := rdb.SetNX(ctx, key, me, time.Minute).Result()
		if err != nil {
			return nil, err
		}
		if ok {
			break
		}
		time.Sleep(time.Second)
	}
	return func(ctx context.Context) error { return putBack.Run(ctx, rdb, []string{key}, me).Err() }, nil
}

// Patient works if it has got the lock.
func Patient(ctx context.Context, rdb *redis.Client, hurry bool, work func(context.Context) error) error {
	take := endless
	if hurry {
		take = patient
	}
	free, err := take(ctx, rdb, "lock:patient")
	if err != nil {
		return err
	}
	defer free(context.WithoutCancel(ctx))
	return work(ctx)
}
