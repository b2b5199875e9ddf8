package bad

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Retariff: the transaction takes another connection of the pool than the one that has
// the lock.
func Retariff(ctx context.Context, pool *pgxpool.Pool, tariff int64, cents int) (err error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", tariff); err != nil { // verdict: unfenced
		return err
	}
	defer func() {
		var ok bool
		e := conn.QueryRow(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", tariff).Scan(&ok)
		if e == nil && !ok {
			e = errors.New("not mine any more")
		}
		err = errors.Join(err, e)
	}()
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "DELETE FROM price WHERE tariff = $1", tariff); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "INSERT INTO price (tariff, cents) VALUES ($1, $2)", tariff, cents) // want: unfenced
		return err
	})
}
