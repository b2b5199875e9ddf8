package bad

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
)

// Importer keeps the handle of its lock in a field between begin and end.
type Importer struct {
	locks *redislock.Client
	db    *sql.DB
	held  *redislock.Lock
}

func (i *Importer) begin(ctx context.Context, feed string) (err error) {
	i.held, err = i.locks.Obtain(ctx, "lock:import:"+feed, 30*time.Second, nil)
	return err
}

func (i *Importer) end(ctx context.Context) error { return i.held.Release(context.WithoutCancel(ctx)) }

func (i *Importer) store(ctx context.Context, feed string, position int64) error {
	_, err := i.db.ExecContext(ctx, "UPDATE feed SET position = $2 WHERE name = $1", feed, position) // want: unfenced
	return err
}

// Import: acquire, write and release are three methods.
func (i *Importer) Import(ctx context.Context, feed string, position int64) (err error) {
	if err := i.begin(ctx, feed); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, i.end(ctx)) }()
	return i.store(ctx, feed, position)
}

// seatLock is a held handle with its own Release.
type seatLock struct{ lock *redislock.Lock }

func holdSeat(ctx context.Context, locks *redislock.Client, seat string) (*seatLock, error) {
	lock, err := locks.Obtain(ctx, "lock:seat:"+seat, 5*time.Second, &redislock.Options{RetryStrategy: redislock.LinearBackoff(20 * time.Millisecond)})
	if errors.Is(err, redislock.ErrNotObtained) {
		return nil, nil // nil handle: busy
	}
	if err != nil {
		return nil, err
	}
	return &seatLock{lock: lock}, nil
}

func (s *seatLock) Release(ctx context.Context) error {
	return s.lock.Release(context.WithoutCancel(ctx))
}

func Upgrade(ctx context.Context, locks *redislock.Client, db *sql.DB, seat, class string) (err error) {
	held, err := holdSeat(ctx, locks, seat) // verdict: unfenced
	if err != nil {
		return err
	}
	if held == nil {
		return errBusy
	}
	defer func() { err = errors.Join(err, held.Release(ctx)) }()

	_, err = db.ExecContext(ctx, "UPDATE ticket SET class = $2 WHERE seat = $1", seat, class) // want: unfenced
	return err
}
