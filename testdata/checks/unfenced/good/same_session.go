package good

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Rebuild: lock and work on one connection; when it breaks, both are gone.
func Rebuild(ctx context.Context, db *sql.DB, view int64, rows int) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", view); err != nil { // verdict: fenced
		return err
	}
	defer func() {
		var ok bool
		e := conn.QueryRowContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", view).Scan(&ok)
		if e == nil && !ok {
			e = errLost
		}
		err = errors.Join(err, e)
	}()

	_, err = conn.ExecContext(ctx, "UPDATE summary SET rows = $2 WHERE view = $1", view, rows)
	return err
}

// Balance: a lock of the transaction ends with the transaction that writes.
func Balance(ctx context.Context, db *sql.DB, account, cents int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", account); err != nil { // verdict: fenced
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE balance SET cents = $2 WHERE account = $1", account, cents); err != nil {
		return err
	}
	return tx.Commit()
}

// Close: the same over a pool of pgx.
func Close(ctx context.Context, pool *pgxpool.Pool, month int64) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		var ok bool
		if err := tx.QueryRow(ctx, "SELECT pg_try_advisory_xact_lock($1)", month).Scan(&ok); err != nil { // verdict: fenced
			return err
		}
		if !ok {
			return errBusy
		}
		_, err := tx.Exec(ctx, "UPDATE month SET state = 'closed' WHERE id = $1", month)
		return err
	})
}

// Pay: the row lock of the database orders the writers; the lease only keeps the queue short.
func Pay(ctx context.Context, locks *redislock.Client, db *sql.DB, order int64) (err error) {
	lock, err := locks.Obtain(ctx, "lock:pay", 5*time.Second, nil) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var state string
	if err := tx.QueryRowContext(ctx, "SELECT state FROM payment WHERE id = $1 FOR UPDATE", order).Scan(&state); err != nil {
		return err
	}
	if state != "open" {
		return errors.New("already paid")
	}
	if _, err := tx.ExecContext(ctx, "UPDATE payment SET state = 'paid' WHERE id = $1", order); err != nil {
		return err
	}
	return tx.Commit()
}

const (
	claimJob  = "UPDATE job SET holder = $2, until = now() + interval '30 seconds' WHERE id = $1 AND (holder IS NULL OR until < now())"
	finishJob = "UPDATE job SET result = $3, holder = NULL WHERE id = $1 AND holder = $2"
)

// Work: lease and data are one row. The holder is random, but the row knows who it is.
func Work(ctx context.Context, db *sql.DB, id int64, holder, result string) error {
	res, err := db.ExecContext(ctx, claimJob, id, holder) // verdict: fenced
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errBusy, err)
	}
	return one(db.ExecContext(ctx, finishJob, id, holder, result))
}

// Restock leaves the rest to a function that gives the lock back on the session that owns
// it, and works on that session.
func Restock(ctx context.Context, db *sql.DB, shelf int64) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", shelf); err != nil { // verdict: fenced
		return err
	}
	return fill(ctx, conn, shelf)
}

func fill(ctx context.Context, conn *sql.Conn, shelf int64) (err error) {
	defer func() {
		var ok bool
		e := conn.QueryRowContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", shelf).Scan(&ok)
		if e == nil && !ok {
			e = errLost
		}
		err = errors.Join(err, e)
	}()
	_, err = conn.ExecContext(ctx, "UPDATE shelf SET full = true WHERE id = $1", shelf)
	return err
}
