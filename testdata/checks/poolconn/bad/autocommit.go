package bad

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Tariff asks for a lock that ends with its transaction, and begins none.
func Tariff(ctx context.Context, db *sql.DB, zone, cents int) error {
	if _, err := db.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", zone); err != nil { // want: poolconn // verdict: unfenced
		return err
	}
	_, err := db.ExecContext(ctx, "UPDATE tariffs SET cents = $1 WHERE zone = $2", cents, zone) // want: unfenced
	return err
}

// Meter reads the meters of a street.
type Meter struct{ pool *pgxpool.Pool }

func (m *Meter) claim(ctx context.Context, street int) (ok bool, err error) {
	err = m.pool.QueryRow(ctx, "SELECT pg_try_advisory_xact_lock(17, $1)", street).Scan(&ok) // want: poolconn
	return ok, err
}

// Read begins a transaction for the work alone, when the lock is long gone.
func (m *Meter) Read(ctx context.Context, street int) error {
	if ok, err := m.claim(ctx, street); err != nil || !ok { // verdict: unfenced
		return err
	}
	tx, err := m.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	if _, err := tx.Exec(ctx, "UPDATE meters SET kwh = kwh + 1 WHERE street = $1", street); err != nil { // note: unfenced
		return err
	}
	return tx.Commit(ctx)
}
