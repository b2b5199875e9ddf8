package bad

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"gorm.io/gorm"
)

// PgxPool: a pool of pgx is a pool as well.
func PgxPool(ctx context.Context, pool *pgxpool.Pool, id int64, job Job) (err error) {
	var ok bool
	if err := pool.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", id).Scan(&ok); err != nil { // want: poolconn // verdict: unverified
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() {
		var freed bool
		e := pool.QueryRow(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id).Scan(&freed)
		if e == nil && !freed {
			e = errNotHeld
		}
		err = errors.Join(err, e)
	}()
	return job.Run(ctx)
}

// Sqlx: Get runs on any connection.
func Sqlx(ctx context.Context, db *sqlx.DB, id int64, job Job) (err error) {
	var ok bool
	if err := db.GetContext(ctx, &ok, "SELECT pg_try_advisory_lock($1)", id); err != nil { // want: poolconn // verdict: unverified
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() {
		_, e := db.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id)
		err = errors.Join(err, e)
	}()
	return job.Run(ctx)
}

// Gorm: each statement of a gorm.DB takes its own connection.
func Gorm(ctx context.Context, db *gorm.DB, id int64, job Job) (err error) {
	db = db.WithContext(context.WithoutCancel(ctx))
	if err := db.Exec("SELECT pg_advisory_lock(?)", id).Error; err != nil { // want: poolconn // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, db.Exec("SELECT pg_advisory_unlock(?)", id).Error) }()
	return job.Run(ctx)
}

// GormRaw scans the answer.
func GormRaw(ctx context.Context, db *gorm.DB, id int64, job Job) (err error) {
	db = db.WithContext(context.WithoutCancel(ctx))
	var ok bool
	if err := db.Raw("SELECT pg_try_advisory_lock(?)", id).Scan(&ok).Error; err != nil { // want: poolconn // verdict: unverified
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() { err = errors.Join(err, db.Exec("SELECT pg_advisory_unlock(?)", id).Error) }()
	return job.Run(ctx)
}

// Mixed pins a connection and locks beside it.
func Mixed(ctx context.Context, db *sql.DB, id int64, job Job) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var ok bool
	if err := db.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", id).Scan(&ok); err != nil { // want: poolconn // verdict: unverified
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() {
		_, e := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id)
		err = errors.Join(err, e)
	}()
	return job.Run(ctx)
}

// UnlockElsewhere locks on its connection and unlocks on another one.
func UnlockElsewhere(ctx context.Context, db *sql.DB, id int64, job Job) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // verdict: unverified
		return err
	}
	defer func() {
		_, e := db.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id) // want: poolconn
		err = errors.Join(err, e)
	}()
	return job.Run(ctx)
}

// AfterCommit takes a session lock in a transaction and gives it back when the connection has gone home.
func AfterCommit(ctx context.Context, db *sql.DB, id int64, job Job) (err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // want: release // verdict: unverified
		return err
	}
	if err := job.Run(ctx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", id) // want: poolconn
	return err
}
