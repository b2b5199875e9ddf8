// Package lodge has two things in one context: the number of the lease on a lodge, and the transaction of the hour.
package lodge

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

var (
	errLet  = errors.New("the lodge is let")
	errOver = errors.New("the lease is over")
)

type (
	slot int
	hand int
)

// Both are zero, and two keys all the same.
const (
	leaseSlot slot = iota
	hourSlot  hand = iota - 1
)

// Lease is on one lodge.
type Lease struct {
	db     *sqlx.DB
	lodge  string
	number int64
}

// Take takes the lease on a lodge that nobody has.
func Take(ctx context.Context, db *sqlx.DB, lodge string) (*Lease, error) {
	l := &Lease{db: db, lodge: lodge}
	err := db.QueryRowxContext(ctx, `
		UPDATE leases SET tenant = $2, number = number + 1, until = now() + make_interval(secs => $3)
		WHERE lodge = $1 AND until < now() RETURNING number`, lodge, uuid.NewString(), time.Minute.Seconds()).Scan(&l.number)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, errLet
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// End gives it back.
func (l *Lease) End(ctx context.Context) error {
	_, err := l.db.ExecContext(ctx, "UPDATE leases SET until = now() WHERE lodge = $1 AND number = $2", l.lodge, l.number)
	return err
}

// In is a context with the lease.
func (l *Lease) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, leaseSlot, l)
}

// hour runs fn in a transaction, which is in its context.
func hour(ctx context.Context, db *sqlx.DB, fn func(context.Context) error) error {
	tx, err := db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(context.WithValue(ctx, hourSlot, tx)); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func now(ctx context.Context) *sqlx.Tx { return ctx.Value(hourSlot).(*sqlx.Tx) }

// settle asks for the lease.
func settle(ctx context.Context, lodge string, cents int64) error {
	l, ok := ctx.Value(leaseSlot).(*Lease)
	if !ok {
		return errOver
	}
	res, err := now(ctx).ExecContext(ctx, "UPDATE lodges SET owed = $2, lease = $3 WHERE name = $1 AND lease <= $3", lodge, cents, l.number)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errOver, err)
	}
	return nil
}

func remark(ctx context.Context, lodge, text string) error {
	_, err := now(ctx).ExecContext(ctx, "INSERT INTO remarks (lodge, text) VALUES ($1, $2)", lodge, text) // want: unfenced
	return err
}

// Settle writes both or nothing.
func Settle(ctx context.Context, db *sqlx.DB, lodge string, cents int64) (err error) {
	l, err := Take(ctx, db, lodge) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.End(context.WithoutCancel(ctx))) }()
	return hour(l.In(ctx), db, func(ctx context.Context) error {
		if err := settle(ctx, lodge, cents); err != nil {
			return err
		}
		return remark(ctx, lodge, "settled")
	})
}

// Remark asks for nothing.
func Remark(ctx context.Context, db *sqlx.DB, lodge, text string) (err error) {
	l, err := Take(ctx, db, lodge) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.End(context.WithoutCancel(ctx))) }()
	return hour(l.In(ctx), db, func(ctx context.Context) error { return remark(ctx, lodge, text) })
}

// Guess does not mind that the lease is over.
func Guess(ctx context.Context, db *sqlx.DB, lodge string, cents int64) (err error) {
	l, err := Take(ctx, db, lodge) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.End(context.WithoutCancel(ctx))) }()
	return hour(l.In(ctx), db, func(ctx context.Context) error {
		if err := settle(ctx, lodge, cents); err != nil {
			slog.WarnContext(ctx, "not settled", "lodge", lodge)
		}
		return remark(ctx, lodge, "guessed")
	})
}

// Apart remarks in another hour than that in which it settles.
func Apart(ctx context.Context, db *sqlx.DB, lodge string, cents int64) (err error) {
	l, err := Take(ctx, db, lodge) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.End(context.WithoutCancel(ctx))) }()
	return hour(l.In(ctx), db, func(ctx context.Context) error {
		if err := settle(ctx, lodge, cents); err != nil {
			return err
		}
		return hour(ctx, db, func(ctx context.Context) error { return remark(ctx, lodge, "apart") })
	})
}

// Late has no lease in the context of the hour.
func Late(ctx context.Context, db *sqlx.DB, lodge string, cents int64) (err error) {
	l, err := Take(ctx, db, lodge) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.End(context.WithoutCancel(ctx))) }()
	return hour(ctx, db, func(ctx context.Context) error { return settle(ctx, lodge, cents) })
}

// Stay has the lease in the variable that the context of its caller was in.
func Stay(ctx context.Context, db *sqlx.DB, lodge string, cents int64) (err error) {
	l, err := Take(ctx, db, lodge) // verdict: fenced
	if err != nil {
		return err
	}
	ctx = l.In(ctx)
	defer func() { err = errors.Join(err, l.End(context.WithoutCancel(ctx))) }()
	again := func() error {
		return hour(ctx, db, func(ctx context.Context) error { return settle(ctx, lodge, cents) })
	}
	return errors.Join(hour(ctx, db, func(ctx context.Context) error { return settle(ctx, lodge, 0) }), again())
}

// Return made its function before it had the lease.
func Return(ctx context.Context, db *sqlx.DB, lodge string, cents int64) (err error) {
	before := func() error {
		return hour(ctx, db, func(ctx context.Context) error { return settle(ctx, lodge, cents) })
	}
	l, err := Take(ctx, db, lodge) // verdict: unverified
	if err != nil {
		return err
	}
	ctx = l.In(ctx)
	defer func() { err = errors.Join(err, l.End(context.WithoutCancel(ctx))) }()
	return before()
}
