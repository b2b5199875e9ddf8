package bad

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Stage changes a table on whichever connection the pool has, while another one owns
// the lock.
func Stage(ctx context.Context, conn *pgx.Conn, pool *pgxpool.Pool, step string) error {
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(2818)"); err != nil { // verdict: unfenced
		return err
	}
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE stage SET step = $1", step) // want: unfenced
		return err
	})
}
