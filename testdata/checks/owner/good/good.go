// Package good names each acquisition, or does not let the owner in again.
package good

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"os"
	"time"

	"github.com/bsm/redislock"
)

var errBusy = errors.New("held elsewhere")

const (
	again = `UPDATE lease SET owner = $2, until = now() + interval '1 minute' WHERE name = $1 AND (until < now() OR owner = $2)`
	once  = `UPDATE lease SET owner = $2, until = now() + interval '1 minute' WHERE name = $1 AND until < now()`
	drop  = "DELETE FROM lease WHERE name = $1 AND owner = $2"
)

func hold(ctx context.Context, db *sql.DB, me, statement string, work func(context.Context) error) error {
	res, err := db.ExecContext(ctx, statement, "report", me)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errBusy
	}
	defer db.ExecContext(context.WithoutCancel(ctx), drop, "report", me)
	return work(ctx)
}

func Random(ctx context.Context, db *sql.DB, work func(context.Context) error) error {
	host, _ := os.Hostname()
	me := host + "/" + rand.Text()
	res, err := db.ExecContext(ctx, again, "random", me)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errBusy
	}
	defer db.ExecContext(context.WithoutCancel(ctx), drop, "random", me)
	return work(ctx)
}

func Once(ctx context.Context, db *sql.DB, work func(context.Context) error) error {
	host, _ := os.Hostname()
	return hold(ctx, db, host, once, work)
}

// Elect takes the lease again as its own renewal: one goroutine does, for the host.
func Elect(ctx context.Context, db *sql.DB, lost func()) error {
	host, _ := os.Hostname()
	for ctx.Err() == nil {
		res, err := db.ExecContext(ctx, again, "leader", host)
		if err != nil {
			lost()
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			lost()
			return errBusy
		}
		time.Sleep(10 * time.Second)
	}
	return ctx.Err()
}

func Given(ctx context.Context, locker *redislock.Client, id string, work func(context.Context) error) error {
	l, err := locker.Obtain(ctx, "given", time.Minute, &redislock.Options{Token: id})
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return work(ctx)
}
