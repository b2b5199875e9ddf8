// Package good has one server, or a database that decides.
package good

import (
	"context"
	"database/sql"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

func Single(ctx context.Context, addr string, db *sql.DB, team string, n int) error {
	rdb := redis.NewClient(&redis.Options{Addr: addr})
	defer rdb.Close()
	l, err := redislock.Obtain(ctx, rdb, "quota:"+team, time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	_, err = db.ExecContext(ctx, "UPDATE quota SET used = used + $2 WHERE team = $1", team, n) // want: unfenced
	return err
}

func Decided(ctx context.Context, addrs []string, db *sql.DB, team string, used, version int) (bool, error) {
	rdb := redis.NewFailoverClient(&redis.FailoverOptions{MasterName: "main", SentinelAddrs: addrs})
	defer rdb.Close()
	l, err := redislock.Obtain(ctx, rdb, "quota:"+team, time.Minute, nil) // verdict: fenced
	if err != nil {
		return false, err
	}
	defer l.Release(context.WithoutCancel(ctx))
	res, err := db.ExecContext(ctx, "UPDATE quota SET used = $2, version = version + 1 WHERE team = $1 AND version = $3", team, used, version)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}
