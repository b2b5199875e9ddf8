package bad

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Transfer: lock and data in one Redis; the data commands do not look at the lock key.
func Transfer(ctx context.Context, rdb *redis.Client, from, to string, points int64) (err error) {
	owner := rand.Text()
	ok, err := rdb.SetNX(ctx, "lock:points", owner, 5*time.Second).Result() // verdict: unfenced
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, "lock:points", owner)) }()

	have, err := rdb.HGet(ctx, "points", from).Int64()
	if err != nil {
		return err
	}
	if have < points {
		return errors.New("not enough points")
	}
	_, err = rdb.TxPipelined(ctx, func(p redis.Pipeliner) error { // want: unfenced
		p.HSet(ctx, "points", from, have-points)
		p.HIncrBy(ctx, "points", to, points)
		return nil
	})
	return err
}

// Retire: SetArgs with Mode NX is the same lock; the write is a plain SET.
func Retire(ctx context.Context, rdb *redis.Client, node string, slots []byte) (err error) {
	owner := rand.Text()
	err = rdb.SetArgs(ctx, "lock:slots", owner, redis.SetArgs{Mode: "NX", TTL: 5 * time.Second}).Err() // verdict: unfenced
	if errors.Is(err, redis.Nil) {
		return errBusy
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, "lock:slots", owner)) }()

	return rdb.Set(ctx, "slots:"+node, slots, 0).Err() // want: unfenced
}
