// Package moored sends commands whose answers come later.
package moored

import (
	"context"
	"errors"

	"github.com/go-redsync/redsync/v4"
	"github.com/gomodule/redigo/redis"
	"go.etcd.io/etcd/client/v3/concurrency"
)

var moor = redis.NewScript(1, `
local turn = tonumber(redis.call("HGET", KEYS[1], "turn") or "0")
if turn >= tonumber(ARGV[2]) then
	return 0
end
redis.call("HSET", KEYS[1], "ship", ARGV[1], "turn", ARGV[2])
return 1`)

var errStale = errors.New("moored by somebody who came later")

// withToken runs fn under the lock and hands it the fencing token.
func withToken(ctx context.Context, session *concurrency.Session, key string, fn func(token int64) error) (err error) {
	mutex := concurrency.NewMutex(session, key)
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	return fn(mutex.Header().Revision)
}

// MoorDeaf queues what may be refused, and asks no more than whether all of it was run.
func MoorDeaf(ctx context.Context, session *concurrency.Session, pool *redis.Pool, ship string, quays []string) error {
	return withToken(ctx, session, "/harbour", func(token int64) error { // verdict: unfenced
		c := pool.Get()
		defer c.Close()
		if err := c.Send("MULTI"); err != nil {
			return err
		}
		for _, quay := range quays {
			if err := moor.Send(c, "quay:"+quay, ship, token); err != nil { // want: weakcondition
				return err
			}
		}
		_, err := c.Do("EXEC")
		return err
	})
}

// Moor finds the answer to each command in what the transaction answers.
func Moor(ctx context.Context, session *concurrency.Session, pool *redis.Pool, ship string, quays []string) error {
	return withToken(ctx, session, "/harbour", func(token int64) error { // verdict: fenced
		c := pool.Get()
		defer c.Close()
		if err := c.Send("MULTI"); err != nil {
			return err
		}
		for _, quay := range quays {
			if err := moor.Send(c, "quay:"+quay, ship, token); err != nil {
				return err
			}
		}
		answers, err := redis.Values(c.Do("EXEC"))
		if err != nil {
			return err
		}
		for i := range quays {
			if n, err := redis.Int(answers[i], nil); err != nil || n == 0 {
				return errStale
			}
		}
		return nil
	})
}

// MoorNext receives the answer by itself.
func MoorNext(ctx context.Context, session *concurrency.Session, pool *redis.Pool, ship, quay string) error {
	return withToken(ctx, session, "/harbour", func(token int64) error { // verdict: fenced
		c, err := pool.GetContext(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = c.Close() }()
		if err := moor.Send(c, "quay:"+quay, ship, token); err != nil {
			return err
		}
		if err := c.Flush(); err != nil {
			return err
		}
		moored, err := redis.Bool(c.Receive())
		if err == nil && !moored {
			err = errStale
		}
		return err
	})
}

// MoorAll takes all answers at once.
func MoorAll(ctx context.Context, session *concurrency.Session, pool *redis.Pool, ship string, quays []string) error {
	return withToken(ctx, session, "/harbour", func(token int64) error { // verdict: fenced
		c := pool.Get()
		defer c.Close()
		for _, quay := range quays {
			if err := moor.Send(c, "quay:"+quay, ship, token); err != nil {
				return err
			}
		}
		moored, err := redis.Ints(c.Do(""))
		if err != nil {
			return err
		}
		for _, n := range moored {
			if n == 0 {
				return errStale
			}
		}
		return nil
	})
}

// MoorBy has the connection from its caller, who may receive the answer.
func MoorBy(ctx context.Context, session *concurrency.Session, c redis.Conn, ship, quay string) error {
	return withToken(ctx, session, "/harbour", func(token int64) error { // verdict: fenced
		return moor.Send(c, "quay:"+quay, ship, token)
	})
}

// Relabel asks of a quay only that it is there, whoever has written it last: that is no condition
// which might be refused to a stale holder.
func Relabel(ctx context.Context, rs *redsync.Redsync, pool *redis.Pool, quay, label string) error {
	mu := rs.NewMutex("labels")
	if err := mu.LockContext(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer mu.Unlock()

	c := pool.Get()
	defer c.Close()
	_, err := c.Do("SET", "label:"+quay, label, "XX") // want: unfenced
	return err
}
