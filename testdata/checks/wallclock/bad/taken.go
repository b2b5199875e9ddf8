package bad

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

var errInUse = errors.New("in use")

// Kitchens are let by the hour.
type Kitchens struct{ db *sql.DB }

// Enter decides by its own clock whether somebody else's hour is over.
func (k *Kitchens) Enter(ctx context.Context, kitchen int64, cook string) error {
	tx, err := k.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var name string
	var until sql.NullTime
	if err := tx.QueryRowContext(ctx, "SELECT name, claimed_until FROM kitchen WHERE id = $1 FOR UPDATE", kitchen).Scan(&name, &until); err != nil {
		return err
	}
	if until.Valid && time.Now().Before(until.Time) { // want: wallclock
		return errInUse
	}
	if _, err := tx.ExecContext(ctx, "UPDATE kitchen SET claimed_until = now() + interval '1 hour', claimed_by = $2 WHERE id = $1", kitchen, cook); err != nil {
		return err
	}
	return tx.Commit()
}

// Ovens count in seconds.
type Ovens struct{ conn *pgx.Conn }

// Heat leaves the rest to a method.
func (o *Ovens) Heat(ctx context.Context, oven int64, cook string) error {
	var end int64
	if err := o.conn.QueryRow(ctx, "SELECT lease_until FROM oven WHERE id = $1", oven).Scan(&end); err != nil {
		return err
	}
	if end > time.Now().Unix() { // want: wallclock
		return errInUse
	}
	return o.book(ctx, oven, cook)
}

func (o *Ovens) book(ctx context.Context, oven int64, cook string) error {
	_, err := o.conn.Exec(ctx, "UPDATE oven SET lease_until = $2, cook = $3 WHERE id = $1", oven, time.Now().Add(time.Hour).Unix(), cook)
	return err
}
