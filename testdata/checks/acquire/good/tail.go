package good

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
)

// Brew heats where it has the kettle, and notes that it was here whoever has it.
func Brew(ctx context.Context, locker *redislock.Client, db *sql.DB, me string) (err error) {
	kettle, err := locker.Obtain(ctx, "kettle", time.Minute, nil) // verdict: unfenced
	if err != nil && !errors.Is(err, redislock.ErrNotObtained) {
		return err
	}
	if kettle != nil {
		defer func() { err = errors.Join(err, kettle.Release(context.WithoutCancel(ctx))) }()
		if _, err := db.ExecContext(ctx, "DELETE FROM leaves WHERE used"); err != nil {
			return err
		}
	}
	_, err = db.ExecContext(ctx, "INSERT INTO visit (who) VALUES ($1)", me) // want: unfenced
	return err
}

// Boil does as much where it is told by a boolean.
func Boil(ctx context.Context, locker *redislock.Client, db *sql.DB, me string) error {
	kettle, mine, err := tryKettle(ctx, locker) // verdict: unfenced
	if err != nil {
		return err
	}
	if mine {
		defer kettle.Release(context.WithoutCancel(ctx))
		if _, err := db.ExecContext(ctx, "DELETE FROM leaves WHERE used"); err != nil {
			return err
		}
	}
	_, err = db.ExecContext(ctx, "INSERT INTO visit (who) VALUES ($1)", me) // want: unfenced
	return err
}

func tryKettle(ctx context.Context, locker *redislock.Client) (*redislock.Lock, bool, error) {
	kettle, err := locker.Obtain(ctx, "kettle", time.Minute, nil)
	if errors.Is(err, redislock.ErrNotObtained) {
		return nil, false, nil
	}
	return kettle, err == nil, err
}
