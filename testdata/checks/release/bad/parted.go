package bad

import (
	"context"
	"database/sql"
	"errors"
	"log"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Tidy cleans up in the order of its lines, which is the wrong one.
func Tidy(ctx context.Context, db *sql.DB, id int64, job Job) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // verdict: unverified
		return errors.Join(err, conn.Close())
	}
	defer func() {
		closed := conn.Close()
		_, e := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id) // want: release
		err = errors.Join(err, closed, e)
	}()
	return job.Run(ctx)
}

// Stack defers the return to the pool last, so that it runs first.
func Stack(ctx context.Context, pool *pgxpool.Pool, id int64, job Job) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // verdict: unverified
		conn.Release()
		return err
	}
	defer conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id) // want: release
	defer conn.Release()
	return job.Run(ctx)
}

// Helpers does so with functions of its own.
func Helpers(ctx context.Context, db *sql.DB, id int64, job Job) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // verdict: unverified
		putBack(conn)
		return err
	}
	defer unlockAt(context.WithoutCancel(ctx), conn, id) // want: release
	defer putBack(conn)
	return job.Run(ctx)
}

func putBack(conn *sql.Conn) {
	if err := conn.Close(); err != nil {
		log.Print(err)
	}
}

func unlockAt(ctx context.Context, conn *sql.Conn, id int64) {
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", id); err != nil {
		log.Print(err)
	}
}

// Midway gives the connection back before it returns, and unlocks in a defer.
func Midway(ctx context.Context, db *sql.DB, id int64, job Job) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // verdict: unverified
		return errors.Join(err, conn.Close())
	}
	defer func() {
		_, e := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id) // want: release
		if e != nil {
			log.Print(e)
		}
	}()
	err = job.Run(ctx)
	return errors.Join(err, conn.Close())
}

// A Watchman keeps the connection of its lock.
type Watchman struct {
	conn *pgxpool.Conn
	id   int64
}

func (w *Watchman) Lock(ctx context.Context, pool *pgxpool.Pool) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", w.id); err != nil {
		conn.Release()
		return err
	}
	w.conn = conn
	return nil
}

func (w *Watchman) Unlock(ctx context.Context) error {
	w.conn.Release()
	_, err := w.conn.Exec(ctx, "SELECT pg_advisory_unlock($1)", w.id) // want: release
	return err
}
