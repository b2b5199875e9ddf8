package bad

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

var errGiven = errors.New("given away already")

// Award commits, which frees the lock, between looking and writing; the rollback that is
// deferred before the lock is taken comes too late for either.
func Award(ctx context.Context, db *sql.DB, prize, winner int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", prize); err != nil { // verdict: unfenced
		return err
	}
	var given bool
	if err := tx.QueryRowContext(ctx, "SELECT winner IS NOT NULL FROM prize WHERE id = $1", prize).Scan(&given); err != nil {
		return err
	}
	if given {
		return errGiven
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "UPDATE prize SET winner = $2 WHERE id = $1", prize, winner) // want: earlyrelease
	return err
}

// Raise does the same over pgx, and looks at how much there is.
func Raise(ctx context.Context, pool *pgxpool.Pool, fund, cents int64) error {
	tx, err := pool.BeginTx(ctx, pgx.TxOptions{})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", fund); err != nil { // verdict: unfenced
		return err
	}
	var sum int64
	if err := tx.QueryRow(ctx, "SELECT sum FROM fund WHERE id = $1", fund).Scan(&sum); err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	_, err = pool.Exec(ctx, "UPDATE fund SET sum = $2 WHERE id = $1", fund, sum+cents) // want: earlyrelease
	return err
}

// Toss defers the release of a lease for the ways that fail, and gives it back before it writes.
func Toss(ctx context.Context, locker *redislock.Client, db *sql.DB, coin int64, side string) error {
	lease, err := locker.Obtain(ctx, "coin", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer lease.Release(context.WithoutCancel(ctx))
	var tossed bool
	if err := db.QueryRowContext(ctx, "SELECT side IS NOT NULL FROM coin WHERE id = $1", coin).Scan(&tossed); err != nil {
		return err
	}
	if tossed {
		return errGiven
	}
	if err := lease.Release(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "UPDATE coin SET side = $2 WHERE id = $1", coin, side) // want: earlyrelease
	return err
}
