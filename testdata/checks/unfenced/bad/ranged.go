package bad

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/bsm/redislock"
)

// The body of a loop over an iterator stands where it runs.

// Backwards goes through a slice by the standard library.
func Backwards(ctx context.Context, locker *redislock.Client, db *sql.DB, shelves []string) (err error) {
	lease, err := locker.Obtain(ctx, "shelves", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release(context.WithoutCancel(ctx))) }()
	for _, shelf := range slices.Backward(shelves) {
		if _, err := db.ExecContext(ctx, "UPDATE shelves SET books = books - 1 WHERE id = $1", shelf); err != nil { // want: unfenced
			return err
		}
	}
	return nil
}

// Listed goes through something out of sight.
func Listed(ctx context.Context, locker *redislock.Client, db *sql.DB, shelves iter.Seq2[string, int]) (err error) {
	lease, err := locker.Obtain(ctx, "listed", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release(context.WithoutCancel(ctx))) }()
	for shelf, books := range shelves {
		if _, err := db.ExecContext(ctx, "UPDATE shelves SET books = $2 WHERE id = $1", shelf, books); err != nil { // want: unfenced
			return err
		}
	}
	return nil
}
