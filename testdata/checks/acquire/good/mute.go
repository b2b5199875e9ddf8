package good

import (
	"context"
	"errors"
	"time"

	"github.com/gomodule/redigo/redis"
	goredis "github.com/redis/go-redis/v9"
)

var release = redis.NewScript(1, `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Converted gets an error for the nil reply.
func Converted(c redis.Conn, key, owner string, work func() error) (err error) {
	if _, err := redis.String(c.Do("SET", key, owner, "PX", 30000, "NX")); err != nil {
		return err
	}
	defer func() {
		_, e := release.Do(c, key, owner)
		err = errors.Join(err, e)
	}()
	return work()
}

// Replied looks at the reply itself.
func Replied(c redis.Conn, name, owner string) (func() error, error) {
	key := "lock:" + name
	reply, err := c.Do("SET", key, owner, "PX", 30000, "NX")
	if err != nil {
		return nil, err
	}
	if reply == nil {
		return nil, errBusy
	}
	return func() error {
		_, err := release.Do(c, key, owner)
		return err
	}, nil
}

// Plain sends the same command by a client that makes an error of nil.
func Plain(ctx context.Context, rdb *goredis.Client, owner string, work func(context.Context) error) (err error) {
	const key = "lock:plain"
	if err := rdb.Do(ctx, "SET", key, owner, "PX", 60000, "NX").Err(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, key, owner)) }()
	return work(ctx)
}

var enter = goredis.NewScript(`
if redis.call("EXISTS", KEYS[1]) == 1 then
	return false
end
redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
return 1`)

// Scripted is refused by nothing, which is an error.
func Scripted(ctx context.Context, rdb *goredis.Client, owner string, work func(context.Context) error) (err error) {
	const key = "lock:scripted"
	if err := enter.Run(ctx, rdb, []string{key}, owner, 60000).Err(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, key, owner)) }()
	return work(ctx)
}

// Mark is no lock: it says when something was first seen.
type Mark struct{ rdb *goredis.Client }

func (m Mark) Seen(ctx context.Context, id string) error {
	return m.rdb.SetNX(ctx, "seen:"+id, time.Now().Unix(), time.Hour).Err()
}
