// Package good keeps a session's lock on one connection, or takes one that ends with its transaction.
package good

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"gorm.io/gorm"
)

var (
	errBusy    = errors.New("held elsewhere")
	errNotHeld = errors.New("this session does not own the lock")
)

// Job is implemented outside of this module.
type Job interface {
	Run(ctx context.Context) error
}

// Pinned takes one connection out of the pool for all three steps.
func Pinned(ctx context.Context, db *sql.DB, id int64, job Job) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var ok bool
	if err := conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", id).Scan(&ok); err != nil { // verdict: unverified
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() {
		var freed bool
		e := conn.QueryRowContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id).Scan(&freed)
		if e != nil || !freed {
			_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // do not give it back to the pool
			err = errors.Join(err, errNotHeld, e)
		}
	}()
	return job.Run(ctx)
}

// Acquired is the same with pgx.
func Acquired(ctx context.Context, pool *pgxpool.Pool, id int64, job Job) (err error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // verdict: unverified
		return err
	}
	defer func() {
		_, e := conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id)
		err = errors.Join(err, e)
	}()
	return job.Run(ctx)
}

// Single has no pool at all.
func Single(ctx context.Context, conn *pgx.Conn, id int64, job Job) (err error) {
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // verdict: unverified
		return err
	}
	defer func() {
		_, e := conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id)
		err = errors.Join(err, e)
	}()
	return job.Run(ctx)
}

// Sqlx pins with Connx.
func Sqlx(ctx context.Context, db *sqlx.DB, name string, job Job) (err error) {
	conn, err := db.Connx(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var got sql.NullInt64
	if err := conn.GetContext(ctx, &got, "SELECT GET_LOCK(?, 10)", name); err != nil { // verdict: unverified
		return err
	}
	if got.Int64 != 1 {
		return errBusy
	}
	defer func() {
		_, e := conn.ExecContext(context.WithoutCancel(ctx), "SELECT RELEASE_LOCK(?)", name)
		err = errors.Join(err, e)
	}()
	return job.Run(ctx)
}

// Transaction: the lock ends with the transaction, so there is nothing to give back.
func Transaction(ctx context.Context, db *sql.DB, id, rows int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", id); err != nil { // verdict: fenced
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE summary SET rows = $2 WHERE id = $1", id, rows); err != nil {
		return err
	}
	return tx.Commit()
}

// Gorm gives its callback one connection.
func Gorm(ctx context.Context, db *gorm.DB, id int64, rows int) error {
	return db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if err := tx.Exec("SELECT pg_advisory_xact_lock(?)", id).Error; err != nil { // verdict: fenced
			return err
		}
		return tx.Exec("UPDATE summary SET rows = ? WHERE id = ?", rows, id).Error
	})
}

// GormConnection pins a connection without a transaction.
func GormConnection(ctx context.Context, db *gorm.DB, id int64, job Job) error {
	return db.WithContext(context.WithoutCancel(ctx)).Connection(func(c *gorm.DB) (err error) {
		if err := c.Exec("SELECT pg_advisory_lock(?)", id).Error; err != nil { // verdict: unverified
			return err
		}
		defer func() { err = errors.Join(err, c.Exec("SELECT pg_advisory_unlock(?)", id).Error) }()
		return job.Run(ctx)
	})
}

// Held keeps its connection for as long as it holds the lock.
type Held struct {
	conn *sql.Conn
	id   int64
}

func Hold(ctx context.Context, db *sql.DB, id int64) (*Held, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &Held{conn: conn, id: id}, nil
}

func (h *Held) Release(ctx context.Context) error {
	_, err := h.conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", h.id)
	return errors.Join(err, h.conn.Close())
}

// Holding writes on the connection that holds the lock.
func Holding(ctx context.Context, db *sql.DB, id, rows int64) (err error) {
	h, err := Hold(ctx, db, id) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Release(ctx)) }()
	_, err = h.conn.ExecContext(ctx, "UPDATE summary SET rows = $2 WHERE id = $1", id, rows)
	return err
}

// Look asks the pool who holds which lock, which any session may.
func Look(ctx context.Context, db *sql.DB, id int64) (n int, err error) {
	const held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 -- pg_advisory_lock"
	err = db.QueryRowContext(ctx, held, id).Scan(&n)
	return n, err
}
