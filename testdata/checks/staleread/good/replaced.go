package good

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// Depth looks whether a sounding is there. Where it is not, it takes one under the lock,
// and keeps that in the variable that would have held the old one.
func Depth(ctx context.Context, locker *redislock.Client, rdb *redis.Client, buoy string, sound func(string) (int, error)) (depth int, err error) {
	key := "depth:" + buoy
	if err = rdb.Get(ctx, key).Scan(&depth); err == nil {
		return depth, nil
	}
	hold, err := locker.Obtain(ctx, "depth:lock:"+buoy, time.Minute, nil) // verdict: unfenced
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, hold.Release(context.WithoutCancel(ctx))) }()
	if depth, err = sound(buoy); err != nil {
		return 0, err
	}
	return depth, rdb.Set(ctx, key, &depth, time.Hour).Err() // want: unfenced
}

// Salinity asks under the lock only where it has found nothing: what it writes cannot be
// what was there.
func Salinity(ctx context.Context, locker *redislock.Client, rdb *redis.Client, buoy string, ask func(string, any) error) (string, error) {
	key := "salt:" + buoy
	salt, err := rdb.Get(ctx, key).Result()
	if err == nil {
		return salt, nil
	}
	hold, err := locker.Obtain(ctx, "salt:lock:"+buoy, time.Minute, nil) // verdict: unfenced
	if err != nil {
		return "", err
	}
	defer hold.Release(context.WithoutCancel(ctx))
	if err := ask(buoy, &salt); err != nil {
		return "", err
	}
	return salt, rdb.Set(ctx, key, salt, time.Hour).Err() // want: unfenced
}
