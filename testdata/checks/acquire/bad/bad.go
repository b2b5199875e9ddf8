// Package bad believes that it holds locks which it has not taken, or takes them for ever. What the sections do is
// behind an interface or a callback, so that only the acquire is wrong.
package bad

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/gomodule/redigo/redis"
	"github.com/hashicorp/consul/api"
	goredis "github.com/redis/go-redis/v9"
)

var errBusy = errors.New("held elsewhere")

var drop = goredis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func free(ctx context.Context, rdb *goredis.Client, key, owner string) error {
	return drop.Run(context.WithoutCancel(ctx), rdb, []string{key}, owner).Err()
}

// Dropped looks at no answer at all.
func Dropped(ctx context.Context, rs *redsync.Redsync, work func(context.Context) error) error {
	mutex := rs.NewMutex("dropped")
	mutex.LockContext(ctx) // want: acquire
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	return work(ctx)
}

// Logged writes the failure down and goes on.
func Logged(ctx context.Context, locker *redislock.Client, work func(context.Context) error) error {
	lease, err := locker.Obtain(ctx, "logged", time.Minute, nil) // want: acquire
	if err != nil {
		log.Printf("no lock: %v", err)
	} else {
		defer lease.Release(context.WithoutCancel(ctx))
	}
	return work(ctx)
}

// Guard takes a lock for others.
type Guard struct{ rdb *goredis.Client }

// TryLock says yes while Redis is down.
func (g Guard) TryLock(ctx context.Context, key, owner string) bool {
	ok, err := g.rdb.SetNX(ctx, key, owner, time.Minute).Result()
	if err != nil {
		log.Print(err)
		return true // want: acquire
	}
	return ok
}

// Lock says nothing while Redis is down.
func (g Guard) Lock(ctx context.Context, key, owner string) error {
	ok, err := g.rdb.SetNX(ctx, key, owner, time.Minute).Result()
	if err != nil {
		log.Print(err)
		return nil // want: acquire
	}
	if !ok {
		return errBusy
	}
	return nil
}

// Unlock belongs to both.
func (g Guard) Unlock(ctx context.Context, key, owner string) error {
	return free(ctx, g.rdb, key, owner)
}

// Stopped works without the lock when stop is closed: Lock then returns nil and nil.
func Stopped(client *api.Client, stop <-chan struct{}, work func(lost <-chan struct{}) error) error {
	l, err := client.LockKey("stopped")
	if err != nil {
		return err
	}
	lost, err := l.Lock(stop) // want: acquire
	if err != nil {
		return err
	}
	defer l.Unlock()
	return work(lost)
}

// Once waits for a while only, with the same result.
func Once(client *api.Client, work func(lost <-chan struct{}) error) error {
	l, err := client.LockOpts(&api.LockOptions{Key: "once", LockTryOnce: true, LockWaitTime: time.Second})
	if err != nil {
		return err
	}
	lost, err := l.Lock(nil) // want: acquire
	if err != nil {
		return err
	}
	defer l.Unlock()
	return work(lost)
}

// Forever never expires.
func Forever(ctx context.Context, rdb *goredis.Client, owner string, work func(context.Context) error) (err error) {
	const key = "lock:forever"
	ok, err := rdb.SetNX(ctx, key, owner, 0).Result() // want: acquire
	if err != nil || !ok {
		return errors.Join(err, errBusy)
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, key, owner)) }()
	return work(ctx)
}

// Later sets the expiry with a second command.
func Later(ctx context.Context, rdb *goredis.Client, owner string, work func(context.Context) error) (err error) {
	const key = "lock:later"
	ok, err := rdb.SetNX(ctx, key, owner, 0).Result() // want: acquire
	if err != nil || !ok {
		return errors.Join(err, errBusy)
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, key, owner)) }()
	if err := rdb.Expire(ctx, key, time.Minute).Err(); err != nil {
		return err
	}
	return work(ctx)
}

var release = redis.NewScript(1, `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Words does the same with words of Redis.
func Words(c redis.Conn, key, owner string, work func() error) (err error) {
	won, err := redis.Int(c.Do("SETNX", key, owner)) // want: acquire
	if err != nil {
		return err
	}
	if won != 1 {
		return errBusy
	}
	defer func() {
		_, e := release.Do(c, key, owner)
		err = errors.Join(err, e)
	}()
	if _, err := c.Do("PEXPIRE", key, 60000); err != nil {
		return err
	}
	return work()
}

// Unread asks only whether the command was sent.
func Unread(ctx context.Context, rdb *goredis.Client, owner string, work func(context.Context) error) (err error) {
	const key = "lock:unread"
	if err := rdb.SetNX(ctx, key, owner, time.Minute).Err(); err != nil { // want: acquire
		return err
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, key, owner)) }()
	return work(ctx)
}

// NoRow takes a lock by a statement whose row, which has the answer, nobody gets.
func NoRow(ctx context.Context, tx *sql.Tx, id int64) error {
	if _, err := tx.ExecContext(ctx, "SELECT pg_try_advisory_xact_lock($1)", id); err != nil { // want: acquire // verdict: unfenced
		return err
	}
	_, err := tx.ExecContext(ctx, "UPDATE counter SET n = n + 1 WHERE id = $1", id)
	return err
}

// Led hands the work a channel that is nil where the lock was not taken.
func Led(c *api.Client, stop chan struct{}, lead func(lost <-chan struct{})) error {
	l, err := c.LockKey("led")
	if err != nil {
		return err
	}
	lost, err := l.Lock(stop) // want: acquire
	if err != nil {
		return err
	}
	defer l.Unlock()
	lead(lost)
	return nil
}
