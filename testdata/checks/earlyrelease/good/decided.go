package good

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
)

// Stamp has its row compared once more: what was seen under the lock may have changed.
func Stamp(ctx context.Context, locker *redislock.Client, db *sql.DB, letter int64) error {
	lease, err := locker.Obtain(ctx, "stamp", time.Minute, nil) // verdict: no-visible-write
	if err != nil {
		return err
	}
	var edition int64
	err = db.QueryRowContext(ctx, "SELECT edition FROM letter WHERE id = $1", letter).Scan(&edition)
	if err := errors.Join(err, lease.Release(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	return one(db.ExecContext(ctx, "UPDATE letter SET stamped = true, edition = edition + 1 WHERE id = $1 AND edition = $2", letter, edition))
}

// Post asks for the state that it has seen.
func Post(ctx context.Context, locker *redislock.Client, db *sql.DB, letter int64) error {
	lease, err := locker.Obtain(ctx, "post", time.Minute, nil) // verdict: no-visible-write
	if err != nil {
		return err
	}
	var state string
	err = db.QueryRowContext(ctx, "SELECT state FROM letter WHERE id = $1", letter).Scan(&state)
	if err := errors.Join(err, lease.Release(context.WithoutCancel(ctx))); err != nil || state != "stamped" {
		return err
	}
	return one(db.ExecContext(ctx, "UPDATE letter SET state = 'posted' WHERE id = $1 AND state = 'stamped'", letter))
}

// Weigh looks again, where nobody can come in between.
func Weigh(ctx context.Context, locker *redislock.Client, db *sql.DB, letter, grams int64) error {
	lease, err := locker.Obtain(ctx, "weigh", time.Minute, nil) // verdict: no-visible-write
	if err != nil {
		return err
	}
	var state string
	err = db.QueryRowContext(ctx, "SELECT state FROM letter WHERE id = $1", letter).Scan(&state)
	if err := errors.Join(err, lease.Release(context.WithoutCancel(ctx))); err != nil || state == "posted" {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := tx.QueryRowContext(ctx, "SELECT state FROM letter WHERE id = $1 FOR UPDATE", letter).Scan(&state); err != nil || state == "posted" {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE letter SET grams = $2 WHERE id = $1", letter, grams); err != nil {
		return err
	}
	return tx.Commit()
}

// Frank writes down elsewhere what it has seen.
func Frank(ctx context.Context, locker *redislock.Client, db *sql.DB, letter int64) error {
	lease, err := locker.Obtain(ctx, "frank", time.Minute, nil) // verdict: no-visible-write
	if err != nil {
		return err
	}
	var grams int64
	err = db.QueryRowContext(ctx, "SELECT grams FROM letter WHERE id = $1", letter).Scan(&grams)
	if err := errors.Join(err, lease.Release(context.WithoutCancel(ctx))); err != nil || grams == 0 {
		return err
	}
	_, err = db.ExecContext(ctx, "UPDATE office SET latest = now() WHERE letter = $1", letter)
	return err
}

var errRefused = errors.New("refused")

func one(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return errors.Join(err, errRefused)
	}
	return nil
}
