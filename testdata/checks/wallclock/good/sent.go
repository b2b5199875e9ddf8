package good

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Slot is taken and given back by the clock of the database. The time of this host
// that it stores besides decides nothing.
func Slot(ctx context.Context, db *sql.DB, name, me string, work func(context.Context) error) error {
	res, err := db.ExecContext(ctx, `UPDATE slots SET owner = $1, expires_at = now() + make_interval(secs => $2), seen_by = $3
		WHERE name = $4 AND expires_at < now()`, me, time.Minute.Seconds(), time.Now().String(), name)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errBusy)
	}
	defer db.ExecContext(context.WithoutCancel(ctx), "UPDATE slots SET owner = NULL, expires_at = NULL WHERE name = $1 AND owner = $2", name, me)
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return work(ctx)
}

// Sweep removes what is old, by its own clock, and takes nothing.
func Sweep(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, "DELETE FROM answers WHERE expires_at < $1", time.Now())
	return err
}
