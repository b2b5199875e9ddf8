// Package good writes elsewhere, other columns, or on a condition.
package good

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
)

type Rooms struct {
	db    *sql.DB
	locks *redislock.Client
}

func (r *Rooms) Reserve(ctx context.Context, hotel string, n int) error {
	l, err := r.locks.Obtain(ctx, "rooms:"+hotel, 10*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return r.take(ctx, hotel, n)
}

// Take is for those who hold the lock.
func (r *Rooms) take(ctx context.Context, hotel string, n int) error {
	_, err := r.db.ExecContext(ctx, "UPDATE hotels SET taken = taken + $2 WHERE id = $1", hotel, n) // want: unfenced
	return err
}

// Rename sets what no section does.
func (r *Rooms) Rename(ctx context.Context, hotel, name string) error {
	_, err := r.db.ExecContext(ctx, "UPDATE hotels SET name = $2 WHERE id = $1", hotel, name)
	return err
}

// Correct is refused where somebody was faster.
func (r *Rooms) Correct(ctx context.Context, hotel string, n, version int) error {
	res, err := r.db.ExecContext(ctx, "UPDATE hotels SET taken = $2, version = version + 1 WHERE id = $1 AND version = $3", hotel, n, version)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errors.New("changed meanwhile"))
	}
	return nil
}

// Release counts back what a guest has given up: it undoes nothing of what Reserve counts.
func (r *Rooms) Release(ctx context.Context, hotel string, n int) error {
	_, err := r.db.ExecContext(ctx, "UPDATE hotels SET taken = taken - $2 WHERE id = $1", hotel, n)
	return err
}
