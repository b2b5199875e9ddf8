// Package bad lets whoever has the same name in. The sections run the caller's code.
package bad

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/bsm/redislock"
)

var errBusy = errors.New("held elsewhere")

const take = `UPDATE lease SET owner = $2, until = now() + interval '1 minute'
WHERE name = $1 AND (until < now() OR owner = $2)`

// Report names the machine.
func Report(ctx context.Context, db *sql.DB, work func(context.Context) error) error {
	host, _ := os.Hostname()
	me := fmt.Sprintf("report-%s", host)
	res, err := db.ExecContext(ctx, take, "report", me) // want: owner
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errBusy
	}
	defer db.ExecContext(context.WithoutCancel(ctx), "DELETE FROM lease WHERE name = $1 AND owner = $2", "report", me)
	return work(ctx)
}

// Constant gives every holder the same token.
func Constant(ctx context.Context, locker *redislock.Client, work func(context.Context) error) error {
	l, err := locker.Obtain(ctx, "constant", time.Minute, &redislock.Options{Token: "worker"}) // want: owner
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return work(ctx)
}
