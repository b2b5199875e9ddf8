package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

var ErrStale = errors.New("stale fencing token")

// Storage keeps documents and, beside each, the greatest token that has written it.
type Storage struct{ db *sql.DB }

const writeDocument = `
UPDATE document
   SET body = $2, last_token = $3
 WHERE key = $1
   AND last_token <= $3`

// Write stores value under key unless a later holder of the lock has written already.
func (s *Storage) Write(ctx context.Context, key, value string, token int64) error {
	res, err := s.db.ExecContext(ctx, writeDocument, key, value, token)
	if err != nil {
		return fmt.Errorf("write %s: %w", key, err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return fmt.Errorf("write %s: %w", key, err)
	}
	if n == 0 {
		return fmt.Errorf("write %s with token %d: %w", key, token, ErrStale)
	}
	return nil
}
