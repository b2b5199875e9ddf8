package good

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

var errInUse = errors.New("in use")

// Kitchens are let by the hour.
type Kitchens struct{ db *sql.DB }

// Enter asks the database whose clock it is.
func (k *Kitchens) Enter(ctx context.Context, kitchen int64, cook string) error {
	tx, err := k.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var name string
	var taken bool
	if err := tx.QueryRowContext(ctx, "SELECT name, COALESCE(claimed_until > now(), false) FROM kitchen WHERE id = $1 FOR UPDATE", kitchen).Scan(&name, &taken); err != nil {
		return err
	}
	if taken {
		return errInUse
	}
	if _, err := tx.ExecContext(ctx, "UPDATE kitchen SET claimed_until = now() + interval '1 hour', claimed_by = $2 WHERE id = $1", kitchen, cook); err != nil {
		return err
	}
	return tx.Commit()
}

// Accounts are locked after too many wrong words.
type Accounts struct{ db *sql.DB }

// Wrong locks an account for a while, which nobody holds.
func (a *Accounts) Wrong(ctx context.Context, account int64) error {
	var until sql.NullTime
	if err := a.db.QueryRowContext(ctx, "SELECT locked_until FROM account WHERE id = $1", account).Scan(&until); err != nil {
		return err
	}
	if until.Valid && until.Time.After(time.Now()) {
		return errInUse
	}
	_, err := a.db.ExecContext(ctx, "UPDATE account SET attempts = attempts + 1, locked_until = $2 WHERE id = $1", account, time.Now().Add(time.Minute))
	return err
}

// Domains are paid for.
type Domains struct{ db *sql.DB }

// Renew gives a domain that is over to whoever pays.
func (d *Domains) Renew(ctx context.Context, domain, payer string) error {
	var until time.Time
	if err := d.db.QueryRowContext(ctx, "SELECT valid_until FROM domain WHERE name = $1", domain).Scan(&until); err != nil {
		return err
	}
	if time.Until(until) > 0 {
		return errInUse
	}
	_, err := d.db.ExecContext(ctx, "UPDATE domain SET valid_until = $2, owner = $3, updated_by = $3 WHERE name = $1", domain, until.AddDate(1, 0, 0), payer)
	return err
}
