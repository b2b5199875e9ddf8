package bad

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/jmoiron/sqlx"
)

type Device struct {
	ID       string `db:"id"`
	Firmware string `db:"firmware"`
}

// Flash: sqlx with named parameters.
func Flash(ctx context.Context, locks *redislock.Client, db *sqlx.DB, d Device) (err error) {
	lock, err := locks.Obtain(ctx, "lock:device:"+d.ID, 20*time.Second, nil) // verdict: unfenced
	if errors.Is(err, redislock.ErrNotObtained) {
		return errBusy
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	_, err = db.NamedExecContext(ctx, "UPDATE device SET firmware = :firmware WHERE id = :id", d) // want: unfenced
	return err
}
