// Package single takes session locks on a pool that has one connection.
package single

import (
	"context"
	"database/sql"
	"errors"
)

// Open opens a database for locks: all statements run on the same session.
func Open(dsn string) (*sql.DB, error) {
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// A Job is out of sight.
type Job interface {
	Run(ctx context.Context) error
}

// Alone runs a job under a lock.
func Alone(ctx context.Context, locks *sql.DB, id int64, job Job) (err error) {
	if _, err := locks.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // verdict: unverified
		return err
	}
	defer func() {
		var ok bool
		e := locks.QueryRowContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id).Scan(&ok)
		if e == nil && !ok {
			e = errors.New("was not locked")
		}
		err = errors.Join(err, e)
	}()
	return job.Run(ctx)
}
