package good

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/jmoiron/sqlx"
)

// Returns before the release is deferred on which there is nothing to release, or it is
// released there.

// Retort hands its locks out together with how it went.
type Retort struct {
	locks *redislock.Client
	fire  func(ctx context.Context, pots []string) error
	shelf func(ctx context.Context) ([]string, error)
}

func (k *Retort) heat(ctx context.Context, name string) (lk *redislock.Lock, hot bool, err error) {
	lk, err = k.locks.Obtain(ctx, "kiln/"+name, time.Minute, nil)
	if errors.Is(err, redislock.ErrNotObtained) {
		return nil, false, nil
	}
	return lk, err == nil, err
}

// Fire asks whether it has got the kiln.
func (k *Retort) Fire(ctx context.Context, name string) (err error) {
	lk, hot, err := k.heat(ctx, name) // verdict: unverified
	if err != nil {
		return err
	}
	if !hot {
		return errBusy
	}
	defer func() { err = errors.Join(err, lk.Release(context.WithoutCancel(ctx))) }()
	pots, err := k.shelf(ctx)
	if err != nil {
		return err
	}
	return k.fire(ctx, pots)
}

// Glaze releases where it fails, and defers that from then on.
func (k *Retort) Glaze(ctx context.Context, name string) (err error) {
	lk, err := k.locks.Obtain(ctx, "kiln/"+name, time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	pots, err := k.shelf(ctx)
	if err != nil {
		return errors.Join(err, lk.Release(context.WithoutCancel(ctx)))
	}
	defer func() { err = errors.Join(err, lk.Release(context.WithoutCancel(ctx))) }()
	return k.fire(ctx, pots)
}

// Cool looks whether it still has the lock before it says how it is given back.
func (k *Retort) Cool(ctx context.Context, name string) (err error) {
	lk, err := k.locks.Obtain(ctx, "kiln/"+name, time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	left, err := lk.TTL(ctx)
	if err != nil || left == 0 {
		return errLost
	}
	defer func() { err = errors.Join(err, lk.Release(context.WithoutCancel(ctx))) }()
	return k.fire(ctx, nil)
}

// Rack has told beforehand what to do in the end.
func (k *Retort) Rack(ctx context.Context, names []string) (err error) {
	var lk *redislock.Lock
	defer func() {
		if lk != nil {
			err = errors.Join(err, lk.Release(context.WithoutCancel(ctx)))
		}
	}()
	lk, err = k.locks.Obtain(ctx, "rack", time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return errBusy
	}
	return k.fire(ctx, names)
}

// Drain looks at the number that the lock was answered by.
func Drain(ctx context.Context, db *sqlx.DB, name string, drain func(context.Context) error) (err error) {
	conn, err := db.Connx(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var got sql.NullInt64
	if err := conn.GetContext(ctx, &got, "SELECT GET_LOCK(?, 10)", name); err != nil {
		return err
	}
	if got.Int64 != 1 {
		return errBusy
	}
	defer func() {
		_, e := conn.ExecContext(context.WithoutCancel(ctx), "SELECT RELEASE_LOCK(?)", name)
		err = errors.Join(err, e)
	}()
	return drain(ctx)
}
