// Package good keeps what belongs together in one slot, or does not talk to a
// cluster.
package good

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

var errHeld = errors.New("held")

var grant = redis.NewScript(`
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
  return redis.call("INCR", KEYS[2])
end
return 0`)

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

// Single is one server.
type Single struct{ rdb *redis.Client }

func (g *Single) Take(ctx context.Context, id, me string, ttl time.Duration) (int64, error) {
	n, err := grant.Run(ctx, g.rdb, []string{"lock:" + id, "fence:" + id}, me, ttl.Milliseconds()).Int64()
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, errHeld
	}
	return n, nil
}

// Prefixed is told where its keys live: the prefix may hold the tag.
type Prefixed struct {
	rdb    *redis.ClusterClient
	prefix string
}

func (g *Prefixed) Take(ctx context.Context, me string, ttl time.Duration) (int64, error) {
	n, err := grant.Run(ctx, g.rdb, []string{g.prefix + ":lock", g.prefix + ":fence"}, me, ttl.Milliseconds()).Int64()
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, errHeld
	}
	return n, nil
}

// Rate has nothing to do with locks; what it costs on a cluster is not this check's.
var rate = redis.NewScript(`
redis.call("INCR", KEYS[1])
redis.call("INCR", KEYS[2])
return 1`)

func Rate(ctx context.Context, rdb *redis.ClusterClient, ip string) error {
	return rate.Run(ctx, rdb, []string{"minute:" + ip, "hour:" + ip}).Err()
}

// Queued sends one command for each key, and a cluster client takes each to where
// its key is.
func Queued(ctx context.Context, rdb *redis.ClusterClient, me string, ids []string) error {
	_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, id := range ids {
			p.Set(ctx, "seen:"+id, me, time.Hour)
		}
		return nil
	})
	return err
}
