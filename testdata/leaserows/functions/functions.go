// Package functions takes leases by functions that the owner of the database has written: what is
// in them stands in a migration.
package functions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

var errBusy = errors.New("somebody else is at it")

// Ledger keeps its leases beside its data.
type Ledger struct{ pool *pgxpool.Pool }

// inTx runs work in a transaction of its own.
func (l *Ledger) inTx(ctx context.Context, work func(pgx.Tx) error) error {
	tx, err := l.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if err := work(tx); err != nil {
		return fmt.Errorf("in transaction: %w", err)
	}
	return tx.Commit(ctx)
}

// Hold takes a lease: its end is what the function answers, and the beginning of time if somebody
// else has it.
func (l *Ledger) Hold(ctx context.Context, name string, span time.Duration) (func() error, error) {
	var until time.Time
	err := l.inTx(ctx, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, "SELECT take_lease($1, $2)", name, int(span.Seconds())).Scan(&until); err != nil {
			return err
		}
		if until.Year() < 2000 || until.IsZero() {
			return errBusy
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return func() error {
		return l.inTx(context.WithoutCancel(ctx), func(tx pgx.Tx) error {
			var freed bool
			if err := tx.QueryRow(ctx, "SELECT give_back_lease($1, $2)", name, until).Scan(&freed); err != nil {
				return err
			}
			if !freed {
				return errBusy
			}
			return nil
		})
	}, nil
}

// Close books the day, under the lease alone.
func (l *Ledger) Close(ctx context.Context, day string, sum int64) error {
	free, err := l.Hold(ctx, "closing/"+day, time.Minute) // verdict: unfenced
	if err != nil {
		return err
	}
	defer free()
	return l.inTx(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE days SET sum = $2 WHERE day = $1", day, sum) // want: unfenced
		return err
	})
}

// Open compares the version that it has read.
func (l *Ledger) Open(ctx context.Context, day string) error {
	free, err := l.Hold(ctx, "opening/"+day, time.Minute) // verdict: fenced // note: redundantlock
	if err != nil {
		return err
	}
	defer free()
	var version, sum int64
	if err := l.pool.QueryRow(ctx, "SELECT version, sum FROM days WHERE day = $1", day).Scan(&version, &sum); err != nil {
		return err
	}
	tag, err := l.pool.Exec(ctx, "UPDATE days SET sum = $3, version = version + 1 WHERE day = $1 AND version = $2", day, version, sum+1)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return errBusy
	}
	return nil
}

// Warehouse has a function that answers with a flag, and knows who holds the lease.
type Warehouse struct {
	db *sql.DB
	me string
}

func (w *Warehouse) acquire(ctx context.Context, aisle string) (bool, error) {
	var got bool
	err := w.db.QueryRowContext(ctx, "SELECT granted FROM ops.try_acquire_lock($1, $2, 120) AS t(granted)", aisle, w.me).Scan(&got)
	return got, err
}

// Count counts an aisle, and gives it back on one way only.
func (w *Warehouse) Count(ctx context.Context, aisle string, pieces int) error {
	ok, err := w.acquire(ctx, aisle) // want: release // verdict: unfenced
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	if _, err := w.db.ExecContext(ctx, "UPDATE aisles SET pieces = $2 WHERE aisle = $1", aisle, pieces); err != nil { // want: unfenced
		return err
	}
	_, err = w.db.ExecContext(context.WithoutCancel(ctx), "SELECT ops.release_lock($1, $2)", aisle, w.me)
	return err
}

// Badges are named like locks, and are none: nothing gives them back, and the answer is a number
// that is shown.
type Badges struct{ db *sql.DB }

// Next draws the lock number of a locker.
func (b *Badges) Next(ctx context.Context, hall string, row int) (int, error) {
	var n int
	err := b.db.QueryRowContext(ctx, "SELECT get_lock_row($1, $2)", hall, row).Scan(&n)
	return n, err
}

// Assign stores it.
func (b *Badges) Assign(ctx context.Context, hall, guest string, row int) error {
	n, err := b.Next(ctx, hall, row)
	if err != nil {
		return err
	}
	_, err = b.db.ExecContext(ctx, "UPDATE guests SET locker = $2 WHERE guest = $1", guest, n)
	return err
}

// Payroll marks a month as taken, once and for all: the mark is never given back.
func Payroll(ctx context.Context, db *sql.DB, month string) error {
	var first bool
	if err := db.QueryRowContext(ctx, "SELECT claim_job_lock($1, $2)", month, "payroll").Scan(&first); err != nil {
		return err
	}
	if !first {
		return nil
	}
	_, err := db.ExecContext(ctx, "INSERT INTO payslips SELECT id, $1 FROM staff", month)
	return err
}

// Checkout gives back what is no lock: the function is named like one alone.
func Checkout(ctx context.Context, db *sql.DB, bike string) error {
	_, err := db.ExecContext(ctx, "SELECT release_lock($1, 'dock')", bike)
	return err
}
