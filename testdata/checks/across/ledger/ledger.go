// Package ledger writes the tables that the locks protect. It knows nothing about locks, apart from tokens.
package ledger

import (
	"context"
	"database/sql"
	"errors"
)

var ErrStale = errors.New("written under a newer lock")

// Repository keeps accounts.
type Repository struct{ DB *sql.DB }

// Balance only reads.
func (r *Repository) Balance(ctx context.Context, account string) (cents int64, err error) {
	err = r.DB.QueryRowContext(ctx, "SELECT cents FROM account WHERE id = $1", account).Scan(&cents)
	return cents, err
}

// SetBalance compares nothing.
func (r *Repository) SetBalance(ctx context.Context, account string, cents int64) error {
	_, err := r.DB.ExecContext(ctx, "UPDATE account SET cents = $2 WHERE id = $1", account, cents)
	return err
}

// SetBalanceFenced lets no older token in.
func (r *Repository) SetBalanceFenced(ctx context.Context, account string, cents, token int64) error {
	res, err := r.DB.ExecContext(ctx, "UPDATE account SET cents = $2, fence = $3 WHERE id = $1 AND fence < $3", account, cents, token)
	if err != nil {
		return err
	}
	return stale(res)
}

// SetBalanceReversed keeps the newer tokens out instead.
func (r *Repository) SetBalanceReversed(ctx context.Context, account string, cents, token int64) error {
	res, err := r.DB.ExecContext(ctx, "UPDATE account SET cents = $2, fence = $3 WHERE id = $1 AND fence > $3", account, cents, token) // want: weakcondition // linked
	if err != nil {
		return err
	}
	return stale(res)
}

func stale(res sql.Result) error {
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		err = ErrStale
	}
	return err
}
