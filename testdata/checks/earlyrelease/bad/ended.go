package bad

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"
)

// Locks that end with their transaction: what is written after the commit is written
// without them.

// Seat reads what is free in the transaction, and takes it outside.
func Seat(ctx context.Context, pool *pgxpool.Pool, show int64) error {
	tx, err := pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	seat, err := free(ctx, tx, show) // verdict: unfenced
	if err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	_, err = pool.Exec(ctx, "UPDATE show SET sold = $2 WHERE id = $1", show, seat) // want: earlyrelease
	return err
}

func free(ctx context.Context, tx pgx.Tx, show int64) (n int, err error) {
	if _, err = tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", show); err != nil {
		return 0, err
	}
	err = tx.QueryRow(ctx, "SELECT sold + 1 FROM show WHERE id = $1", show).Scan(&n)
	return n, err
}

// Rank ends the transaction by hand on each way.
func Rank(ctx context.Context, db *sql.DB, player int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	var rank int
	if _, err = tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", player); err == nil { // verdict: unfenced
		err = tx.QueryRowContext(ctx, "SELECT max(rank) FROM ladder").Scan(&rank)
	}
	if err != nil {
		tx.Rollback()
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "INSERT INTO ladder (player, rank) VALUES ($1, $2)", player, rank+1) // want: earlyrelease
	return err
}

// Touch does all its work after the commit.
func Touch(db *gorm.DB, id int64) error {
	tx := db.Begin()
	if err := tx.Exec("SELECT pg_advisory_xact_lock(?)", id).Error; err != nil { // verdict: unfenced
		tx.Rollback()
		return err
	}
	if err := tx.Commit().Error; err != nil {
		return err
	}
	return db.Exec("UPDATE page SET views = views + 1 WHERE id = ?", id).Error // want: earlyrelease
}
