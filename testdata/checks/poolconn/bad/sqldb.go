// Package bad takes locks that belong to one database session and lets the pool choose the session. What the
// sections do is behind an interface, so that only the connection is wrong.
package bad

import (
	"context"
	"database/sql"
	"errors"
)

var (
	errBusy    = errors.New("held elsewhere")
	errNotHeld = errors.New("this session does not own the lock")
)

// Job is implemented outside of this module.
type Job interface {
	Run(ctx context.Context) error
}

// Blocking locks by Exec.
func Blocking(ctx context.Context, db *sql.DB, id int64, job Job) (err error) {
	if _, err := db.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // want: poolconn // verdict: unverified
		return err
	}
	defer func() {
		_, e := db.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id)
		err = errors.Join(err, e)
	}()
	return job.Run(ctx)
}

// Trying locks by a row with a bool.
func Trying(ctx context.Context, db *sql.DB, space, id int32, job Job) (err error) {
	var ok bool
	if err := db.QueryRowContext(ctx, "select pg_try_advisory_lock($1, $2)", space, id).Scan(&ok); err != nil { // want: poolconn // verdict: unverified
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() {
		var freed bool
		e := db.QueryRowContext(context.WithoutCancel(ctx), "select pg_advisory_unlock($1, $2)", space, id).Scan(&freed)
		if e == nil && !freed {
			e = errNotHeld
		}
		err = errors.Join(err, e)
	}()
	return job.Run(ctx)
}

// Named is a lock of MySQL by name.
func Named(ctx context.Context, db *sql.DB, name string, job Job) (err error) {
	var got sql.NullInt64
	if err := db.QueryRowContext(ctx, "SELECT GET_LOCK(?, ?)", name, 5).Scan(&got); err != nil { // want: poolconn // verdict: unverified
		return err
	}
	if got.Int64 != 1 {
		return errBusy
	}
	defer func() {
		var freed sql.NullInt64
		e := db.QueryRowContext(context.WithoutCancel(ctx), "SELECT RELEASE_LOCK(?)", name).Scan(&freed)
		if e == nil && freed.Int64 != 1 {
			e = errNotHeld
		}
		err = errors.Join(err, e)
	}()
	return job.Run(ctx)
}

// Guard is a method pair of this package over the pool.
type Guard struct {
	db *sql.DB
	id int64
}

func (g *Guard) Lock(ctx context.Context) error {
	_, err := g.db.ExecContext(ctx, "SELECT pg_advisory_lock($1)", g.id) // want: poolconn
	return err
}

func (g *Guard) Unlock(ctx context.Context) error {
	_, err := g.db.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", g.id)
	return err
}

// Guarded: the wrong call is in the wrapper, so nothing is reported here.
func Guarded(ctx context.Context, db *sql.DB, job Job) (err error) {
	g := &Guard{db: db, id: 42}
	if err := g.Lock(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, g.Unlock(context.WithoutCancel(ctx))) }()
	return job.Run(ctx)
}
