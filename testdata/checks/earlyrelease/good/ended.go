package good

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Seat writes in the transaction that the lock lives in.
func Seat(ctx context.Context, pool *pgxpool.Pool, show int64) error {
	tx, err := pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", show); err != nil { // verdict: fenced
		return err
	}
	var seat int
	if err := tx.QueryRow(ctx, "SELECT sold + 1 FROM show WHERE id = $1", show).Scan(&seat); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "UPDATE show SET sold = $2 WHERE id = $1", show, seat); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// Noted keeps a record of what is done, which needs no lock.
func Noted(ctx context.Context, db *sql.DB, id int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", id); err != nil { // verdict: fenced
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE page SET views = views + 1 WHERE id = $1", id); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "INSERT INTO audit (page) VALUES ($1)", id)
	return err
}
