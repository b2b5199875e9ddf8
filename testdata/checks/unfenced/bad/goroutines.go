package bad

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"golang.org/x/sync/errgroup"
)

// Restock: the writes run in goroutines that are waited for inside the section.
func Restock(ctx context.Context, locks *redislock.Client, db *sql.DB, shelf, crate string, pieces, inCrate int) (err error) {
	lock, err := locks.Obtain(ctx, "lock:shelf:"+shelf, 10*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	var g errgroup.Group
	g.Go(func() error {
		_, err := db.ExecContext(ctx, "UPDATE shelf SET pieces = $2 WHERE id = $1", shelf, pieces) // want: unfenced
		return err
	})
	g.Go(func() error {
		_, err := db.ExecContext(ctx, "UPDATE crate SET pieces = $2 WHERE id = $1", crate, inCrate)
		return err
	})
	return g.Wait()
}

// Recount: a plain goroutine and a channel.
func Recount(ctx context.Context, locks *redislock.Client, db *sql.DB, hall string, visitors int) (err error) {
	lock, err := locks.Obtain(ctx, "lock:hall:"+hall, 10*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	done := make(chan error, 1)
	go func() {
		_, err := db.ExecContext(ctx, "UPDATE hall SET visitors = $2 WHERE id = $1", hall, visitors) // want: unfenced
		done <- err
	}()
	return <-done
}
