package good

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Stamp has a lock that ends with its transaction.
func Stamp(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	tx, err := pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", id); err != nil { // verdict: unverified
		return err
	}
	if err := press(ctx); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// press is what is done under the lock.
var press func(context.Context) error

// franking keeps its database.
type franking struct{ db *sql.DB }

// Frank unlocks in the transaction, whatever comes of it.
func (f *franking) Frank(ctx context.Context) (err error) {
	tx, err := f.db.BeginTx(ctx, &sql.TxOptions{})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var got sql.NullInt64
	if err := tx.QueryRowContext(ctx, "SELECT GET_LOCK('franking', 1)").Scan(&got); err != nil { // verdict: unverified
		return err
	}
	if got.Int64 != 1 {
		return errors.New("franked by another")
	}
	defer func() {
		_, e := tx.ExecContext(context.WithoutCancel(ctx), "SELECT RELEASE_LOCK('franking')")
		err = errors.Join(err, e)
	}()
	return press(ctx)
}
