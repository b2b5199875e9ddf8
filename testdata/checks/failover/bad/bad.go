// Package bad keeps its locks where a failover forgets them, and writes without
// a token.
package bad

import (
	"context"
	"database/sql"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

const bump = "UPDATE quota SET used = used + $2 WHERE team = $1"

func Sentinel(ctx context.Context, addrs []string, db *sql.DB, team string, n int) error {
	rdb := redis.NewFailoverClient(&redis.FailoverOptions{MasterName: "main", SentinelAddrs: addrs})
	defer rdb.Close()
	l, err := redislock.New(rdb).Obtain(ctx, "quota:"+team, time.Minute, nil) // want: failover // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	_, err = db.ExecContext(ctx, bump, team, n) // want: unfenced
	return err
}

func Cluster(ctx context.Context, addrs []string, db *sql.DB, team string, n int) error {
	rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: addrs})
	defer rdb.Close()
	l, err := redislock.Obtain(ctx, rdb, "quota:"+team, time.Minute, nil) // want: failover // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	_, err = db.ExecContext(ctx, bump, team, n) // want: unfenced
	return err
}
