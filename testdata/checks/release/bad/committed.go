package bad

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Stamp unlocks by the end of its transaction, which is no end of the session.
func Stamp(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	tx, err := pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // want: release // verdict: unverified
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

// Frank does the same with the lock of another database.
func (f *franking) Frank(ctx context.Context) error {
	tx, err := f.db.BeginTx(ctx, &sql.TxOptions{})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var got sql.NullInt64
	if err := tx.QueryRowContext(ctx, "SELECT GET_LOCK('franking', 1)").Scan(&got); err != nil { // want: release // verdict: unverified
		return err
	}
	if got.Int64 != 1 {
		return errBusy
	}
	if err := press(ctx); err != nil {
		return err
	}
	return tx.Commit()
}
