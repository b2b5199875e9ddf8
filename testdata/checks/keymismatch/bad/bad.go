// Package bad makes the key twice, and not in the same way.
package bad

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

var errBusy = errors.New("held elsewhere")

var (
	drop   = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
	extend = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`)
)

// Job is implemented outside of this module.
type Job interface {
	Run(ctx context.Context) error
}

// Bare forgets the prefix.
func Bare(ctx context.Context, rdb *redis.Client, id, owner string, job Job) error {
	ok, err := rdb.SetNX(ctx, "lock:bare:"+id, owner, time.Minute).Result() // verdict: unverified
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer drop.Run(context.WithoutCancel(ctx), rdb, []string{id}, owner) // want: keymismatch
	return job.Run(ctx)
}

// Renewal extends another lock.
func Renewal(ctx context.Context, rdb *redis.Client, id, owner string, jobs []Job) (err error) {
	key := "lock:renewal:" + id
	ok, err := rdb.SetNX(ctx, key, owner, time.Minute).Result() // verdict: unverified
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() { err = errors.Join(err, drop.Run(context.WithoutCancel(ctx), rdb, []string{key}, owner).Err()) }()
	for _, job := range jobs {
		n, err := extend.Run(ctx, rdb, []string{"lock:renewals:" + id}, owner, 60000).Int() // want: keymismatch
		if err != nil || n == 0 {
			return errors.Join(err, errBusy)
		}
		if err := job.Run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Session unlocks another number.
func Session(ctx context.Context, conn *sql.Conn, job Job) (err error) {
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock(4711)"); err != nil { // verdict: unverified
		return err
	}
	defer func() {
		_, e := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock(4712)") // want: keymismatch
		err = errors.Join(err, e)
	}()
	return job.Run(ctx)
}
