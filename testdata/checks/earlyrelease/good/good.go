// Package good ends its work before the release, or does after it what needs no lock. Its writes are fenced by a
// version or need no fence, so that only their order is judged.
package good

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"time"

	"github.com/bsm/redislock"
	"golang.org/x/sync/errgroup"
)

// Claim takes a job under the lock and finishes it later.
func Claim(ctx context.Context, locker *redislock.Client, db *sql.DB, work func(int64) error) error {
	lease, err := locker.Obtain(ctx, "claim", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	var id int64
	err = db.QueryRowContext(ctx, "SELECT id FROM job WHERE state = 'new' LIMIT 1").Scan(&id)
	if err == nil {
		_, err = db.ExecContext(ctx, "UPDATE job SET state = 'taken' WHERE id = $1", id) // want: unfenced
	}
	if err := errors.Join(err, lease.Release(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	if err := work(id); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "UPDATE job SET state = 'done' WHERE id = $1", id)
	return err
}

// Next takes another lock for what comes after the first.
func Next(ctx context.Context, locker *redislock.Client, db *sql.DB, id int64) error {
	first, err := locker.Obtain(ctx, "first", time.Minute, nil) // verdict: no-visible-write // gap: FN verdict what follows is the other lock's
	if err != nil {
		return err
	}
	if err := first.Release(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	second, err := locker.Obtain(ctx, "second", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer second.Release(context.WithoutCancel(ctx))
	_, err = db.ExecContext(ctx, "UPDATE nexts SET n = n + 1 WHERE id = $1", id) // want: unfenced
	return err
}

// Group waits for what it has started.
func Group(ctx context.Context, locker *redislock.Client, db *sql.DB, ids []int64) error {
	lease, err := locker.Obtain(ctx, "group", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer lease.Release(context.WithoutCancel(ctx))
	var group errgroup.Group
	for _, id := range ids {
		group.Go(func() error {
			_, err := db.ExecContext(ctx, "UPDATE grp SET n = n + 1 WHERE id = $1", id) // want: unfenced
			return err
		})
	}
	return group.Wait()
}

// Given leaves the release to the goroutine.
func Given(ctx context.Context, locker *redislock.Client, db *sql.DB, id int64) error {
	lease, err := locker.Obtain(ctx, "given", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	go func() {
		ctx := context.WithoutCancel(ctx)
		_, err := db.ExecContext(ctx, "UPDATE given SET n = n + 1 WHERE id = $1", id) // want: unfenced
		if err := errors.Join(err, lease.Release(ctx)); err != nil {
			log.Print(err)
		}
	}()
	return nil
}

// Told writes a line of the log beside the work.
func Told(ctx context.Context, locker *redislock.Client, db *sql.DB, id int64) error {
	lease, err := locker.Obtain(ctx, "told", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer lease.Release(context.WithoutCancel(ctx))
	go func() {
		if _, err := db.ExecContext(context.WithoutCancel(ctx), "INSERT INTO told_log (id) VALUES ($1)", id); err != nil {
			log.Print(err)
		}
	}()
	_, err = db.ExecContext(ctx, "UPDATE told SET n = n + 1 WHERE id = $1", id) // want: unfenced
	return err
}
