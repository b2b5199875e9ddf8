package good

import (
	"context"
	"database/sql"
	"errors"
)

var errGiven = errors.New("given away already")

// Award writes before it commits.
func Award(ctx context.Context, db *sql.DB, prize, winner int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", prize); err != nil { // verdict: fenced
		return err
	}
	var given bool
	if err := tx.QueryRowContext(ctx, "SELECT winner IS NOT NULL FROM prize WHERE id = $1", prize).Scan(&given); err != nil {
		return err
	}
	if given {
		return errGiven
	}
	if _, err := tx.ExecContext(ctx, "UPDATE prize SET winner = $2 WHERE id = $1", prize, winner); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "INSERT INTO mail (prize, winner) VALUES ($1, $2)", prize, winner)
	return err
}

// Grant looks under the lock, and lets the resource look again.
func Grant(ctx context.Context, db *sql.DB, prize, winner int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", prize); err != nil { // verdict: no-visible-write
		return err
	}
	var given bool
	if err := tx.QueryRowContext(ctx, "SELECT winner IS NOT NULL FROM prize WHERE id = $1", prize).Scan(&given); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	res, err := db.ExecContext(ctx, "UPDATE prize SET winner = $2 WHERE id = $1 AND winner IS NULL", prize, winner)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return errors.Join(errGiven, err)
	}
	return nil
}
