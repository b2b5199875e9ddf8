package good

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Upgrade changes the tables step by step, each in a transaction of the very session that
// owns the lock: where that ends, nothing of the step stays.
func Upgrade(ctx context.Context, conn *pgx.Conn, versions pgx.Identifier, steps []string) error {
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(2817)"); err != nil { // verdict: fenced
		return err
	}
	for i, step := range steps {
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "INSERT INTO step (text) VALUES ($1)", step); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "INSERT INTO "+versions.Sanitize()+" (version) VALUES ($1)", i)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
