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

// Reflash: the statement is bound before it is sent, through an interface of the program's own.
func Reflash(ctx context.Context, locks *redislock.Client, db Accessor, d *Device) (err error) {
	lock, err := locks.Obtain(ctx, "lock:device:"+d.ID, 20*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	query, args, err := db.BindNamed("UPDATE device SET firmware = :firmware WHERE id = :id", d)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, query, args...) // want: unfenced
	return err
}

// An Accessor is a database or a transaction of it.
type Accessor interface {
	sqlx.ExtContext
}
