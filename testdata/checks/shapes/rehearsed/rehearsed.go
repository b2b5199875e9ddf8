// Package rehearsed has statements that were prepared before, on another handle than the one
// on which they run.
package rehearsed

import (
	"context"
	"database/sql"
	"errors"
)

var errBusy = errors.New("busy")

// A Play has its statements in fields, whatever texts they have.
type Play struct {
	db     *sql.DB
	scenes *sql.Stmt
	lines  *sql.Stmt
}

func begin(ctx context.Context, db *sql.DB) (*sql.Tx, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	var got bool
	if err := tx.QueryRowContext(ctx, "SELECT pg_try_advisory_xact_lock(12)").Scan(&got); err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	if !got {
		return nil, errors.Join(errBusy, tx.Rollback())
	}
	return tx, nil
}

// Stage runs them in the transaction that has the lock.
func (p *Play) Stage(ctx context.Context, scene int, words string) error {
	tx, err := begin(ctx, p.db) // verdict: fenced
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.StmtContext(ctx, p.scenes).ExecContext(ctx, scene); err != nil {
		return err
	}
	if _, err := tx.Stmt(p.lines).Exec(scene, words); err != nil {
		return err
	}
	return tx.Commit()
}

// Prompt runs one beside the transaction.
func (p *Play) Prompt(ctx context.Context, scene int) error {
	tx, err := begin(ctx, p.db) // verdict: unverified
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := p.scenes.ExecContext(ctx, scene); err != nil {
		return err
	}
	return tx.Commit()
}

// Improvise runs one of which the text is known in another transaction than that of the lock.
func (p *Play) Improvise(ctx context.Context, scene int) (err error) {
	tx, err := begin(ctx, p.db) // verdict: unfenced
	if err != nil {
		return err
	}
	defer tx.Rollback()
	other, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer other.Rollback()
	stmt, err := p.db.PrepareContext(ctx, "UPDATE scene SET played = now() WHERE id = $1")
	if err != nil {
		return err
	}
	defer stmt.Close()
	if _, err := other.StmtContext(ctx, stmt).ExecContext(ctx, scene); err != nil { // want: unfenced
		return err
	}
	return errors.Join(other.Commit(), tx.Commit())
}
