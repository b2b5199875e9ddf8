package good

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"
)

// Invoice commits before it gives the session's lock back.
func Invoice(ctx context.Context, db *sql.DB, series int64) (last int64, err error) {
	session, err := db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer session.Close()
	if _, err := session.ExecContext(ctx, "SELECT pg_advisory_lock($1)", series); err != nil { // verdict: fenced
		return 0, err
	}
	defer func() {
		_, e := session.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", series)
		err = errors.Join(err, e)
	}()
	tx, err := session.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	if err := tx.QueryRowContext(ctx, "SELECT last FROM series WHERE id = $1", series).Scan(&last); err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE series SET last = $2 WHERE id = $1", series, last+1); err != nil {
		return 0, err
	}
	return last + 1, tx.Commit()
}

// Deferred commits in a deferred call that runs before that which releases.
func Deferred(ctx context.Context, locker *redislock.Client, pool *pgxpool.Pool, id int64) (err error) {
	lease, err := locker.Obtain(ctx, "seats", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer lease.Release(context.WithoutCancel(ctx))
	tx, err := pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback(ctx))
		} else {
			err = tx.Commit(ctx)
		}
	}()
	var free int
	if err := tx.QueryRow(ctx, "SELECT free FROM seats WHERE id = $1", id).Scan(&free); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "UPDATE seats SET free = $2 WHERE id = $1", id, free-1) // want: unfenced
	return err
}

type Wallet struct {
	ID    int64
	Cents int64
}

// Outside takes the lock around the transaction.
func Outside(ctx context.Context, db *gorm.DB, rs *redsync.Redsync, id, cents int64) (err error) {
	mu := rs.NewMutex("wallet", redsync.WithExpiry(time.Minute))
	if err := mu.LockContext(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() {
		_, e := mu.UnlockContext(context.WithoutCancel(ctx))
		err = errors.Join(err, e)
	}()
	return db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		var w Wallet
		if err := tx.First(&w, id).Error; err != nil {
			return err
		}
		return tx.Model(&Wallet{}).Where("id = ?", id).Update("cents", w.Cents+cents).Error // want: unfenced
	})
}

// Compared is committed after the release, but the row's version decides at the
// database, whoever commits first.
func Compared(ctx context.Context, locker *redislock.Client, db *sql.DB, id int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	lease, err := locker.Obtain(ctx, "compared", time.Minute, nil) // note: redundantlock // verdict: fenced
	if err != nil {
		return err
	}
	var n, version int64
	err = tx.QueryRowContext(ctx, "SELECT n, version FROM compared WHERE id = $1", id).Scan(&n, &version)
	var res sql.Result
	if err == nil {
		res, err = tx.ExecContext(ctx, "UPDATE compared SET n = $2, version = version + 1 WHERE id = $1 AND version = $3", id, n+1, version)
	}
	if err := errors.Join(err, lease.Release(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	if rows, err := res.RowsAffected(); err != nil || rows == 0 {
		return errors.Join(errors.New("changed meanwhile"), err)
	}
	return tx.Commit()
}
