// Package bad locks in one function and forgets to in another.
package bad

import (
	"context"
	"database/sql"
	"time"

	"github.com/bsm/redislock"
)

type Seats struct {
	db    *sql.DB
	locks *redislock.Client
}

func (s *Seats) Reserve(ctx context.Context, flight string, n int) error {
	l, err := s.locks.Obtain(ctx, "seats:"+flight, 10*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	_, err = s.db.ExecContext(ctx, "UPDATE flights SET taken = taken + $2 WHERE id = $1", flight, n) // want: unfenced
	return err
}

func (s *Seats) Correct(ctx context.Context, flight string, n int) error {
	_, err := s.db.ExecContext(ctx, "UPDATE flights SET taken = $2 WHERE id = $1", flight, n) // note: bypass // linked
	return err
}
