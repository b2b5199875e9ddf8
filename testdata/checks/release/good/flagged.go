package good

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
)

// Ferment gives the vat back on all ways: what the flag says at the end is only how it went.
func Ferment(ctx context.Context, locks *redislock.Client, db *sql.DB, vat string, tell func(string)) (err error) {
	l, err := locks.Obtain(ctx, "vat:"+vat, time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done {
			tell(vat)
		}
		err = errors.Join(err, l.Release(context.WithoutCancel(ctx)))
	}()
	if _, err := db.ExecContext(ctx, "UPDATE vats SET sugar = 0 WHERE name = $1", vat); err != nil { // want: unfenced
		return err
	}
	done = true
	return nil
}

// Decant hands the vat on with the work that is left, and gives it back where there is none.
func Decant(ctx context.Context, locks *redislock.Client, db *sql.DB, vat string, rest func(*redislock.Lock) bool) (err error) {
	l, err := locks.Obtain(ctx, "vat:"+vat, time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	mine := true
	defer func() {
		if mine {
			err = errors.Join(err, l.Release(context.WithoutCancel(ctx)))
		}
	}()
	if _, err := db.ExecContext(ctx, "UPDATE vats SET bottles = bottles + 1 WHERE name = $1", vat); err != nil { // want: unfenced
		return err
	}
	if rest(l) {
		mine = false
		return nil
	}
	return nil
}
