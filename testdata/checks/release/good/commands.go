package good

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Compared deletes by a command of Redis that compares the owner itself.
func Compared(ctx context.Context, rdb *redis.Client, id, owner string, job Job) (err error) {
	key := "lock:compared:" + id
	ok, err := rdb.SetNX(ctx, key, owner, time.Minute).Result() // verdict: unverified
	if err != nil || !ok {
		return errors.Join(err, errBusy)
	}
	defer func() {
		n, derr := rdb.DelExArgs(context.WithoutCancel(ctx), key, redis.DelExArgs{Mode: "IFEQ", MatchValue: owner}).Result()
		if derr == nil && n == 0 {
			derr = errors.New("lock was lost")
		}
		err = errors.Join(err, derr)
	}()
	return job.Run(ctx)
}

// Valkey has the same under another name, which the client does not know.
func Valkey(ctx context.Context, rdb *redis.Client, id, owner string, job Job) (err error) {
	key := "lock:valkey:" + id
	ok, err := rdb.SetNX(ctx, key, owner, time.Minute).Result() // verdict: unverified
	if err != nil || !ok {
		return errors.Join(err, errBusy)
	}
	defer func() { err = errors.Join(err, rdb.Do(context.WithoutCancel(ctx), "DELIFEQ", key, owner).Err()) }()
	return job.Run(ctx)
}
