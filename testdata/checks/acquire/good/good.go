// Package good asks whether it has the lock, in one way or another.
package good

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/hashicorp/consul/api"
	"github.com/redis/go-redis/v9"
)

var errBusy = errors.New("held elsewhere")

var drop = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func free(ctx context.Context, rdb *redis.Client, key, owner string) error {
	return drop.Run(context.WithoutCancel(ctx), rdb, []string{key}, owner).Err()
}

// Skipped leaves the work to the holder.
func Skipped(ctx context.Context, locker *redislock.Client, work func(context.Context) error) error {
	lease, err := locker.Obtain(ctx, "skipped", time.Minute, nil)
	if err != nil {
		log.Printf("no lock: %v", err)
		return nil
	}
	defer lease.Release(context.WithoutCancel(ctx))
	return work(ctx)
}

// must ends the process, as main functions like it.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Must gives the error to a function that does not return.
func Must(ctx context.Context, rs *redsync.Redsync, work func(context.Context) error) error {
	mutex := rs.NewMutex("must")
	must(mutex.LockContext(ctx))
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	return work(ctx)
}

// Both asks twice, and at the end of a loop.
func Both(ctx context.Context, rdb *redis.Client, owner string, work func(context.Context) error) (err error) {
	const key = "lock:both"
	var ok bool
	for range 5 {
		if ok, err = rdb.SetNX(ctx, key, owner, time.Minute).Result(); err == nil && ok {
			break
		}
		time.Sleep(time.Second)
	}
	if err != nil || !ok {
		return errors.Join(err, errBusy)
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, key, owner)) }()
	return work(ctx)
}

// Guard takes a lock for others.
type Guard struct{ rdb *redis.Client }

// TryLock says no while Redis is down.
func (g Guard) TryLock(ctx context.Context, key, owner string) bool {
	ok, err := g.rdb.SetNX(ctx, key, owner, time.Minute).Result()
	if err != nil {
		log.Print(err)
		return false
	}
	return ok
}

// Held is told by the handle: nil is no lock.
func (g Guard) Held(ctx context.Context, locker *redislock.Client) (*redislock.Lock, error) {
	lease, err := locker.Obtain(ctx, "held", time.Minute, nil)
	if errors.Is(err, redislock.ErrNotObtained) {
		return nil, nil
	}
	return lease, err
}

// Asked looks at the channel as well.
func Asked(client *api.Client, stop <-chan struct{}, work func(lost <-chan struct{}) error) error {
	l, err := client.LockKey("asked")
	if err != nil {
		return err
	}
	lost, err := l.Lock(stop)
	if err != nil {
		return err
	}
	if lost == nil {
		return errBusy
	}
	defer l.Unlock()
	return work(lost)
}

// Waiting cannot give up.
func Waiting(client *api.Client, work func(lost <-chan struct{}) error) error {
	l, err := client.LockKey("waiting")
	if err != nil {
		return err
	}
	lost, err := l.Lock(nil)
	if err != nil {
		return err
	}
	defer l.Unlock()
	return work(lost)
}

// Session locks live as long as their session, and have no expiry.
func Session(ctx context.Context, conn *sql.Conn, id int64, work func(context.Context, *sql.Conn) error) (err error) {
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id); err != nil {
		return err
	}
	defer func() {
		_, e := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id)
		err = errors.Join(err, e)
	}()
	return work(ctx, conn)
}

// Renewed has an expiry from the beginning, and moves it.
func Renewed(ctx context.Context, rdb *redis.Client, owner string, work func(context.Context) error) (err error) {
	const key = "lock:renewed"
	ok, err := rdb.SetNX(ctx, key, owner, time.Minute).Result()
	if err != nil || !ok {
		return errors.Join(err, errBusy)
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, key, owner)) }()
	if err := rdb.Expire(ctx, key, 2*time.Minute).Err(); err != nil {
		return err
	}
	return work(ctx)
}

// Blocked waits until it has the lock: no row tells more than the error.
func Blocked(ctx context.Context, tx *sql.Tx, id int64) error {
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", id); err != nil { // verdict: fenced
		return err
	}
	_, err := tx.ExecContext(ctx, "UPDATE counter SET n = n + 1 WHERE id = $1", id)
	return err
}

// Told works only with a channel that tells the loss.
func Told(c *api.Client, stop chan struct{}, lead func(lost <-chan struct{})) error {
	l, err := c.LockKey("told")
	if err != nil {
		return err
	}
	lost, err := l.Lock(stop)
	if err != nil || lost == nil {
		return err
	}
	defer l.Unlock()
	lead(lost)
	return nil
}
