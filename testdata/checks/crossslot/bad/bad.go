// Package bad sends commands on keys of several slots to a cluster.
package bad

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

var errHeld = errors.New("held")

// The lock and its counter of tokens in one step.
var grant = redis.NewScript(`
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
  return redis.call("INCR", KEYS[2])
end
return 0`)

var compareAndDelete = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
  redis.call("DEL", KEYS[2])
  return redis.call("DEL", KEYS[1])
end
return 0`)

type Grants struct{ rdb *redis.ClusterClient }

func (g *Grants) Take(ctx context.Context, id, me string, ttl time.Duration) (int64, error) {
	n, err := grant.Run(ctx, g.rdb, []string{"lock:" + id, "fence:" + id}, me, ttl.Milliseconds()).Int64() // want: crossslot
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, errHeld
	}
	return n, nil
}

func (g *Grants) Drop(ctx context.Context, id, me string) error {
	return compareAndDelete.Run(ctx, g.rdb, []string{"lock:" + id, "waiting:" + id}, me).Err() // want: crossslot
}

// The token and the value that it guards, under two tags.
var store = redis.NewScript(`
local last = tonumber(redis.call("GET", KEYS[1]) or "0")
if last > tonumber(ARGV[1]) then
  return 0
end
redis.call("SET", KEYS[1], ARGV[1])
redis.call("SET", KEYS[2], ARGV[2])
return 1`)

func Arrange(ctx context.Context, addrs []string, shelf, me, body string) error {
	rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: addrs})
	defer rdb.Close()
	g := &Tagged{rdb}
	token, err := g.Take(ctx, shelf, me, time.Minute)
	if err != nil {
		return err
	}
	return keep(ctx, rdb, shelf, token, body)
}

func keep(ctx context.Context, rdb *redis.ClusterClient, shelf string, token int64, body string) error {
	n, err := store.Run(ctx, rdb, []string{"{fence}:" + shelf, "{shelf}:" + shelf}, token, body).Int() // want: crossslot
	if err == nil && n == 0 {
		err = errHeld
	}
	return err
}

// Tagged takes its lock in one slot.
type Tagged struct{ rdb *redis.ClusterClient }

func (g *Tagged) Take(ctx context.Context, id, me string, ttl time.Duration) (int64, error) {
	n, err := grant.Run(ctx, g.rdb, []string{"lock:{" + id + "}", "fence:{" + id + "}"}, me, ttl.Milliseconds()).Int64()
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, errHeld
	}
	return n, nil
}
