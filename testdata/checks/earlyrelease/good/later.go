package good

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
)

// Berths sells berths, of which there are few.
type Berths struct {
	locker *redislock.Client
	db     *sql.DB
}

// Sell starts the sale under the lock, and waits for it before the lock is given back.
func (s *Berths) Sell(ctx context.Context, guest string) (err error) {
	lock, err := s.locker.Obtain(ctx, "guest:"+guest, 8*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	sold, failed := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		if err := s.sell(ctx, guest); err != nil {
			failed <- err
		} else {
			sold <- struct{}{}
		}
	}()
	select {
	case <-sold:
	case err = <-failed:
	case <-ctx.Done():
		err = ctx.Err()
	}
	return errors.Join(err, lock.Release(context.WithoutCancel(ctx)))
}

func (s *Berths) sell(ctx context.Context, guest string) error {
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
