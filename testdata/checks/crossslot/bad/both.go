package bad

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	enter = redis.NewScript(`
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
  redis.call("SET", KEYS[2], ARGV[3], "PX", ARGV[2])
  return 1
end
return 0`)
	leave = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
  return redis.call("DEL", KEYS[1], KEYS[2])
end
return 0`)
)

// Told once: who cannot come in need not be told that the way out is closed as well.
func Told(ctx context.Context, rdb *redis.ClusterClient, room, me string, work func(context.Context) error) error {
	n, err := enter.Run(ctx, rdb, []string{"room:" + room, "since:" + room}, me, time.Minute.Milliseconds(), time.Now().Unix()).Int() // want: crossslot
	if err != nil {
		return err
	}
	if n == 0 {
		return errors.New("the room is taken")
	}
	err = work(ctx)
	n, freed := leave.Run(context.WithoutCancel(ctx), rdb, []string{"room:" + room, "since:" + room}, me).Int()
	if freed == nil && n == 0 {
		freed = errors.New("the room was somebody else's at the end")
	}
	return errors.Join(err, freed)
}

// Plain takes the lock by one key and frees two: that one is refused alone.
func Plain(ctx context.Context, rdb *redis.ClusterClient, room, me string, work func(context.Context) error) error {
	ok, err := rdb.SetNX(ctx, "room:"+room, me, time.Minute).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("the room is taken")
	}
	err = work(ctx)
	n, freed := leave.Run(context.WithoutCancel(ctx), rdb, []string{"room:" + room, "since:" + room}, me).Int() // want: crossslot
	if freed == nil && n == 0 {
		freed = errors.New("the room was somebody else's at the end")
	}
	return errors.Join(err, freed)
}
