package bad

import (
	"context"
	"errors"
	"time"

	"github.com/gomodule/redigo/redis"
	goredis "github.com/redis/go-redis/v9"
)

// Latch asks Redis only whether it was there.
type Latch struct {
	rdb        *goredis.Client
	key, owner string
}

func (l *Latch) Lock(ctx context.Context) error {
	return l.rdb.SetNX(ctx, l.key, l.owner, time.Minute).Err() // want: acquire
}

func (l *Latch) Unlock(ctx context.Context) error { return free(ctx, l.rdb, l.key, l.owner) }

// Latched has a wrapper that cannot refuse.
func Latched(ctx context.Context, rdb *goredis.Client, owner string, work func(context.Context) error) error {
	l := &Latch{rdb: rdb, key: "lock:latched", owner: owner}
	if err := l.Lock(ctx); err != nil {
		return err
	}
	defer l.Unlock(context.WithoutCancel(ctx))
	return work(ctx)
}

// Handed gives the way back to everybody: a refusal is a nil reply.
func Handed(c redis.Conn, name, owner string) (func() error, error) {
	key := "lock:" + name
	_, err := c.Do("SET", key, owner, "PX", 30000, "NX") // want: acquire
	if err != nil {
		return nil, err
	}
	return func() error {
		_, err := release.Do(c, key, owner)
		return err
	}, nil
}

// Reply does the work whatever the reply is.
func Reply(c redis.Conn, key, owner string, work func() error) (err error) {
	if _, err := c.Do("SET", key, owner, "PX", 30000, "NX"); err != nil { // want: acquire
		return err
	}
	defer func() {
		_, e := release.Do(c, key, owner)
		err = errors.Join(err, e)
	}()
	return work()
}

var enter = goredis.NewScript(`
if redis.call("EXISTS", KEYS[1]) == 1 then
	return 0
end
redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
return 1`)

// Scripted gets a number, and drops it.
func Scripted(ctx context.Context, rdb *goredis.Client, owner string, work func(context.Context) error) (err error) {
	const key = "lock:scripted"
	if err := enter.Run(ctx, rdb, []string{key}, owner, 60000).Err(); err != nil { // want: acquire
		return err
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, key, owner)) }()
	return work(ctx)
}

// Old is a command that answers with a number as well.
func Old(ctx context.Context, rdb *goredis.Client, owner string, work func(context.Context) error) (err error) {
	const key = "lock:old"
	if err := rdb.Do(ctx, "SETNX", key, owner).Err(); err != nil { // want: acquire
		return err
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, key, owner)) }()
	rdb.Expire(ctx, key, time.Minute)
	return work(ctx)
}
