package good

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"log"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Ordered defers the return to the pool first, so that it runs last.
func Ordered(ctx context.Context, pool *pgxpool.Pool, id int64, job Job) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // verdict: unverified
		return err
	}
	defer conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id)
	return job.Run(ctx)
}

// Ended closes the connection for good: that frees the lock, and the unlock is too much.
func Ended(ctx context.Context, dsn string, id int64, job Job) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // verdict: unverified
		return errors.Join(err, conn.Close(ctx))
	}
	defer conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id)
	defer conn.Close(context.WithoutCancel(ctx))
	return job.Run(ctx)
}

// Spoiled tells the pool that the connection is broken.
func Spoiled(ctx context.Context, db *sql.DB, id int64, job Job) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // verdict: unverified
		return errors.Join(err, conn.Close())
	}
	defer func() {
		conn.Raw(func(any) error { return driver.ErrBadConn })
		conn.Close()
		if _, e := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id); e != nil {
			log.Print(e)
		}
	}()
	return job.Run(ctx)
}

// Elsewhere gives back another connection than the lock's, one for its reads.
func Elsewhere(ctx context.Context, db *sql.DB, id int64, job Job) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	reads, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // verdict: unverified
		return errors.Join(err, reads.Close())
	}
	defer func() {
		closed := reads.Close()
		_, e := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id)
		err = errors.Join(err, closed, e)
	}()
	return job.Run(ctx)
}

// Turns takes a connection for each turn of its loop.
func Turns(ctx context.Context, db *sql.DB, ids []int64, job Job) error {
	for _, id := range ids {
		conn, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // verdict: unverified
			return errors.Join(err, conn.Close())
		}
		err = job.Run(ctx)
		_, e := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id)
		if err := errors.Join(err, e, conn.Close()); err != nil {
			return err
		}
	}
	return nil
}

// Another takes the lock anew through a fresh connection.
func Another(ctx context.Context, db *sql.DB, id int64, job Job) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	if err := conn.PingContext(ctx); err != nil {
		conn.Close()
		if conn, err = db.Conn(ctx); err != nil {
			return err
		}
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // verdict: unverified
		return err
	}
	defer func() {
		_, e := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id)
		err = errors.Join(err, e)
	}()
	return job.Run(ctx)
}
