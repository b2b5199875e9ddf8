package bad

import (
	"context"
	"database/sql"
	"errors"
)

// A reader is what a query needs of a database.
type reader interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Stores has a primary and a follower of it.
type Stores struct{ primary, follower *sql.DB }

func (s *Stores) lagging() reader { return s.follower }

func stock(ctx context.Context, r reader, sku string) (n int, err error) {
	err = r.QueryRowContext(ctx, "SELECT n FROM stock WHERE sku = $1", sku).Scan(&n)
	return n, err
}

// Take holds a lock of the very transaction that writes, and decides on what the follower has.
func (s *Stores) Take(ctx context.Context, sku string) error {
	tx, err := s.primary.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtext($1))", sku); err != nil { // verdict: fenced
		return err
	}
	n, err := stock(ctx, s.lagging(), sku) // want: replica
	if err != nil {
		return err
	}
	if n == 0 {
		return errors.New("sold out")
	}
	if _, err := tx.ExecContext(ctx, "UPDATE stock SET n = $2 WHERE sku = $1", sku, n-1); err != nil {
		return err
	}
	return tx.Commit()
}
