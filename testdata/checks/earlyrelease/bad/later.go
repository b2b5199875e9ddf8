package bad

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
)

// Seats sells seats, of which there are few.
type Seats struct {
	locker *redislock.Client
	db     *sql.DB
}

// Sell starts the sale under the lock, and waits for it when the lock is given back.
func (s *Seats) Sell(ctx context.Context, guest string) (err error) {
	lock, err := s.locker.Obtain(ctx, "guest:"+guest, 8*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	sold, failed := make(chan struct{}, 1), make(chan error, 1)
	go func() { // want: earlyrelease
		if err := s.sell(ctx, guest); err != nil {
			failed <- err
		} else {
			sold <- struct{}{}
		}
	}()
	if err := lock.Release(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	select {
	case <-sold:
		return nil
	case err := <-failed:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Seats) sell(ctx context.Context, guest string) error {
	var n int
	if err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM tickets WHERE guest = $1", guest).Scan(&n); err != nil {
		return err
	}
	if n > 0 {
		return errors.New("has one already")
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO tickets (guest) VALUES ($1)", guest) // want: unfenced
	return err
}
