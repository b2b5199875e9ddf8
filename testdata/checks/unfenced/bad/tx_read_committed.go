package bad

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Enroll: the transaction commits all or nothing, but its SELECT locks no row, so two of them interleave
// once the lease is over.
func Enroll(ctx context.Context, locks *redislock.Client, pool *pgxpool.Pool, course int64) (err error) {
	lock, err := locks.Obtain(ctx, "lock:courses", 10*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		var free int
		if err := tx.QueryRow(ctx, "SELECT free FROM course WHERE id = $1", course).Scan(&free); err != nil {
			return err
		}
		if free == 0 {
			return errors.New("course is full")
		}
		_, err := tx.Exec(ctx, "UPDATE course SET free = $2 WHERE id = $1", course, free-1) // want: unfenced
		return err
	})
}
