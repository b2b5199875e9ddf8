package good

import (
	"context"
	"database/sql"

	"gorm.io/gorm"
)

func claim(ctx context.Context, r Runner, zone int) error {
	_, err := r.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", zone)
	return err
}

// Tariff gives the transaction to what takes the lock in it.
func Tariff(ctx context.Context, db *sql.DB, zone, cents int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := claim(ctx, tx, zone); err != nil { // verdict: fenced
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE tariffs SET cents = $1 WHERE zone = $2", cents, zone); err != nil {
		return err
	}
	return tx.Commit()
}

// Meters are kept in what their maker has begun, or has not.
type Meters struct{ db *gorm.DB }

// Claim does not know.
func (m *Meters) Claim(street int) error {
	return m.db.Exec("SELECT pg_advisory_xact_lock(17, ?)", street).Error
}

// Drain takes the lock for as long as its one statement runs.
func Drain(ctx context.Context, db *sql.DB, basin int) error {
	_, err := db.ExecContext(ctx, `WITH held AS (SELECT pg_advisory_xact_lock(18, $1))
		UPDATE basins SET level = 0 FROM held WHERE id = $1`, basin)
	return err
}

// Next picks a job that nobody else is picking.
func Next(ctx context.Context, db *sql.DB) (id int, err error) {
	err = db.QueryRowContext(ctx, `SELECT id FROM jobs WHERE pg_try_advisory_xact_lock(19, id) LIMIT 1`).Scan(&id)
	return id, err
}
