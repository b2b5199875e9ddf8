// Package lent writes in the transaction that it is lent, or else on its own pool.
package lent

import (
	"context"
	"database/sql"
)

// queries sends statements on whatever it has.
type queries struct {
	on interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	}
}

func (q *queries) note(ctx context.Context, page, text string) error {
	_, err := q.on.ExecContext(ctx, "INSERT INTO diary (page, text) VALUES ($1, $2)", page, text) // want: unfenced
	return err
}

func (q *queries) turn(ctx context.Context, page string) error {
	_, err := q.on.ExecContext(ctx, "UPDATE pages SET turned = turned + 1 WHERE page = $1", page)
	return err
}

// A Diary is written by all kinds of programs.
type Diary struct {
	db    *sql.DB
	erase *sql.Stmt
}

// in is where it writes.
func (d *Diary) in(tx *sql.Tx) *queries {
	if tx != nil {
		return &queries{tx}
	}
	return &queries{d.db}
}

// erasing is the statement, in the transaction if there is one.
func (d *Diary) erasing(ctx context.Context, tx *sql.Tx) *sql.Stmt {
	if tx == nil {
		return d.erase
	}
	return tx.StmtContext(ctx, d.erase)
}

// Note writes a text.
func (d *Diary) Note(ctx context.Context, tx *sql.Tx, page, text string) error {
	q := d.in(nil)
	if tx != nil {
		q = d.in(tx)
	}
	return q.note(ctx, page, text)
}

// Turn turns a page.
func (d *Diary) Turn(ctx context.Context, tx *sql.Tx, page string) error {
	if _, err := d.erasing(ctx, tx).ExecContext(ctx, page); err != nil {
		return err
	}
	return d.in(tx).turn(ctx, page)
}

// hold begins a transaction that has the page for itself.
func (d *Diary) hold(ctx context.Context, page int64) (*sql.Tx, error) {
	tx, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", page); err != nil {
		tx.Rollback()
		return nil, err
	}
	return tx, nil
}

// Keep lends its transaction.
func (d *Diary) Keep(ctx context.Context, page int64, name string) error {
	tx, err := d.hold(ctx, page) // verdict: fenced
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := d.Turn(ctx, tx, name); err != nil {
		return err
	}
	if err := d.Note(ctx, tx, name, "turned"); err != nil {
		return err
	}
	return tx.Commit()
}

// Forget lends none.
func (d *Diary) Forget(ctx context.Context, page int64, name string) error {
	tx, err := d.hold(ctx, page) // verdict: unfenced
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := d.Note(ctx, nil, name, "forgotten"); err != nil {
		return err
	}
	return tx.Commit()
}

// Perhaps lends what it was lent: nobody knows what that is.
func (d *Diary) Perhaps(ctx context.Context, lent *sql.Tx, page int64, name string) error {
	tx, err := d.hold(ctx, page) // verdict: unfenced
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := d.Note(ctx, lent, name, "perhaps"); err != nil {
		return err
	}
	return tx.Commit()
}
