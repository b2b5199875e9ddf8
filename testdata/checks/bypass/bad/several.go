package bad

import (
	"context"
	"errors"

	"github.com/jmoiron/sqlx"
)

// A Depot sends buses out.
type Depot struct{ db *sqlx.DB }

// A Trip is what is asked of a transaction of the depot.
type Trip interface {
	sqlx.ExtContext
	GetContext(ctx context.Context, into any, query string, args ...any) error
}

// alone runs work in a transaction that holds the depot's lock, and undoes it where it fails.
func (d *Depot) alone(ctx context.Context, depot int64, work func(trip Trip) error) (err error) {
	tx, err := d.db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback())
		}
	}()
	if _, err = tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", depot); err != nil {
		return err
	}
	if err = work(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Send puts a driver into a bus that has none.
func (d *Depot) Send(ctx context.Context, depot, driver int64, bus string) error {
	return d.alone(ctx, depot, func(trip Trip) error { // verdict: fenced
		var sitting *int64
		if err := trip.GetContext(ctx, &sitting, "SELECT driver FROM buses WHERE plate = $1", bus); err != nil || sitting != nil {
			return err
		}
		_, err := trip.ExecContext(ctx, "UPDATE buses SET driver = $2 WHERE plate = $1", bus, driver)
		return err
	})
}

// Exchange changes the drivers of two buses as it likes.
func (d *Depot) Exchange(ctx context.Context, one, other string, driver int64) error {
	_, err := d.db.ExecContext(ctx, "UPDATE buses SET driver = CASE plate WHEN $1 THEN $3::bigint END WHERE plate IN ($1, $2)", one, other, driver) // note: bypass // linked
	return err
}
