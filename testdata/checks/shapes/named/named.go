// Package named sends statements with named parameters by an interface of its own, of which the
// standard library knows the answer alone.
package named

import (
	"context"
	"database/sql"
	"errors"

	"github.com/go-redsync/redsync/v4"
	"github.com/jmoiron/sqlx"
)

// A Querier is a database or a transaction in one.
type Querier interface {
	Exec(query string, args ...any) (sql.Result, error)
	NamedExec(query string, arg any) (sql.Result, error)
}

// Tx knows whether it is done.
type Tx struct {
	sqlx.Tx
	done bool
}

// A Beam is sawn once.
type Beam struct {
	ID    int64
	Notch bool
	Turn  int64
}

func update(q Querier, b *Beam) error {
	_, err := q.NamedExec("UPDATE beams SET notch = :notch WHERE id = :id", b) // want: unfenced
	return err
}

// Saw does so on the database.
func Saw(ctx context.Context, locks *redsync.Redsync, db *sqlx.DB, b *Beam) error {
	mutex := locks.NewMutex("saw")
	if err := mutex.LockContext(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	return update(db, b)
}

// Join does so in a transaction of its own kind.
func Join(ctx context.Context, locks *redsync.Redsync, db *sqlx.DB, b *Beam) error {
	mutex := locks.NewMutex("join")
	if err := mutex.LockContext(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	x, err := db.Beginx()
	if err != nil {
		return err
	}
	tx := &Tx{Tx: *x}
	defer tx.Rollback()
	if err := update(tx, b); err != nil {
		return err
	}
	return tx.Commit()
}

// Plane asks for the turn that it has read.
func Plane(ctx context.Context, locks *redsync.Redsync, db *sqlx.DB, id int64) error {
	mutex := locks.NewMutex("plane")
	if err := mutex.LockContext(ctx); err != nil { // verdict: fenced
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	var b Beam
	if err := db.GetContext(ctx, &b, "SELECT id, notch, turn FROM beams WHERE id = ?", id); err != nil {
		return err
	}
	return smooth(db, &b)
}

func smooth(q Querier, b *Beam) error {
	res, err := q.NamedExec("UPDATE beams SET smooth = TRUE, turn = turn + 1 WHERE id = :id AND turn = :turn", b)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errors.New("another has it in hand"))
	}
	return nil
}
