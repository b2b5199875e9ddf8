package billing

import (
	"context"
	"database/sql"
	"errors"
	"expvar"
	"fmt"
)

// ErrStale reports that a later holder of the lock has closed the invoice already.
var ErrStale = errors.New("invoice was written under a newer lock")

// rejected counts the writes that the fence has stopped.
var rejected = expvar.NewInt("billing_stale_writes_rejected")

const closeInvoice = `
UPDATE invoice
   SET state = 'closed', total = $2, last_token = $3
 WHERE id = $1
   AND (last_token IS NULL OR last_token < $3)`

type store struct{ db *sql.DB }

func (s store) total(ctx context.Context, invoice int64) (cents int64, err error) {
	const sum = "SELECT COALESCE(SUM(price * quantity), 0) FROM invoice_line WHERE invoice_id = $1"
	if err := s.db.QueryRowContext(ctx, sum, invoice).Scan(&cents); err != nil {
		return 0, fmt.Errorf("add up invoice %d: %w", invoice, err)
	}
	return cents, nil
}

func (s store) close(ctx context.Context, invoice, cents, token int64) error {
	res, err := s.db.ExecContext(ctx, closeInvoice, invoice, cents, token)
	if err != nil {
		return fmt.Errorf("close invoice %d: %w", invoice, err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return fmt.Errorf("close invoice %d: %w", invoice, err)
	}
	if n == 0 {
		rejected.Add(1)
		return fmt.Errorf("close invoice %d with token %d: %w", invoice, token, ErrStale)
	}
	return nil
}
