package good

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/gomodule/redigo/redis"
	goredis "github.com/redis/go-redis/v9"
)

var giveBack = redis.NewScript(1, `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Blink counts half a second in milliseconds, and tells it in seconds.
func Blink(c redis.Conn, me string, work func() error) error {
	const ttl = 500 * time.Millisecond
	if _, err := redis.String(c.Do("SET", "lock:blink", me, "PX", ttl.Milliseconds(), "NX")); err != nil {
		return err
	}
	log.Println("for less than", int(ttl.Seconds())+1)
	defer giveBack.Do(c, "lock:blink", me)
	return work()
}

var enter = goredis.NewScript(`if redis.call("SET", KEYS[1], ARGV[1], "NX", "EX", ARGV[2]) then return 1 end return 0`)

var exit = goredis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

var errBusy = errors.New("held elsewhere")

type door struct{ rdb *goredis.Client }

func (d door) lock(ctx context.Context, key, me string, ttl time.Duration) error {
	won, err := enter.Run(ctx, d.rdb, []string{key}, me, max(1, int(ttl.Seconds()))).Int()
	if err != nil {
		return err
	}
	if won == 0 {
		return errBusy
	}
	return nil
}

func (d door) unlock(ctx context.Context, key, me string) error {
	return exit.Run(ctx, d.rdb, []string{key}, me).Err()
}

// Short is locked for a second at least.
func Short(ctx context.Context, d door, me string, work func() error) error {
	if err := d.lock(ctx, "lock:short", me, 900*time.Millisecond); err != nil {
		return err
	}
	defer d.unlock(context.WithoutCancel(ctx), "lock:short", me)
	return work()
}
