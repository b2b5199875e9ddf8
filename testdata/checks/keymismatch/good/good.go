// Package good uses several keys, and each for its own.
package good

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

var errBusy = errors.New("held elsewhere")

var drop = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Job is implemented outside of this module.
type Job interface {
	Run(ctx context.Context) error
}

func key(kind, id string) string { return fmt.Sprintf("lock:%s:%s", kind, id) }

// Twice makes the key twice in the same way.
func Twice(ctx context.Context, rdb *redis.Client, id, owner string, job Job) error {
	ok, err := rdb.SetNX(ctx, key("twice", id), owner, time.Minute).Result() // verdict: unverified
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer drop.Run(context.WithoutCancel(ctx), rdb, []string{key("twice", id)}, owner)
	return job.Run(ctx)
}

// Two takes two locks.
func Two(ctx context.Context, rdb *redis.Client, id, owner string, job Job) error {
	for _, k := range []string{"lock:one:" + id, "lock:two:" + id} {
		ok, err := rdb.SetNX(ctx, k, owner, time.Minute).Result() // verdict: unverified
		if err != nil {
			return err
		}
		if !ok {
			return errBusy
		}
		defer drop.Run(context.WithoutCancel(ctx), rdb, []string{k}, owner)
	}
	return job.Run(ctx)
}

// Marker is left to run out, and what it was made for is deleted.
func Marker(ctx context.Context, rdb *redis.Client, id, owner string, job Job) error {
	ok, err := rdb.SetNX(ctx, "lock:marker:"+id, owner, time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	if err := job.Run(ctx); err != nil {
		return err
	}
	return rdb.Del(ctx, "marked:"+id).Err()
}

// Old frees the lock of an earlier version as well.
func Old(ctx context.Context, rdb *redis.Client, id, owner string, job Job) error {
	k := key("old", id)
	ok, err := rdb.SetNX(ctx, k, owner, time.Minute).Result() // verdict: unverified
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer drop.Run(context.WithoutCancel(ctx), rdb, []string{k}, owner)
	defer drop.Run(context.WithoutCancel(ctx), rdb, []string{"lock/" + id}, owner)
	return job.Run(ctx)
}
