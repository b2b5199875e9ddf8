package bad

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"
)

// Invoice gives the session's lock back, and commits then.
func Invoice(ctx context.Context, db *sql.DB, series int64) (last int64, err error) {
	session, err := db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer session.Close()
	if _, err := session.ExecContext(ctx, "SELECT pg_advisory_lock($1)", series); err != nil { // verdict: unfenced
		return 0, err
	}
	mine := true
	free := func() error {
		mine = false
		_, err := session.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", series)
		return err
	}
	defer func() {
		if mine {
			err = errors.Join(err, free())
		}
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
	if err := free(); err != nil {
		return 0, err
	}
	return last + 1, tx.Commit() // want: earlyrelease
}

// Deferred commits in a deferred call that runs after that which releases.
func Deferred(ctx context.Context, locker *redislock.Client, pool *pgxpool.Pool, id int64) (err error) {
	tx, err := pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback(ctx))
		} else {
			err = tx.Commit(ctx) // want: earlyrelease
		}
	}()
	lease, err := locker.Obtain(ctx, "seats", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer lease.Release(context.WithoutCancel(ctx))
	var free int
	if err := tx.QueryRow(ctx, "SELECT free FROM seats WHERE id = $1", id).Scan(&free); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "UPDATE seats SET free = $2 WHERE id = $1", id, free-1)
	return err
}

type Wallet struct {
	ID    int64
	Cents int64
}

// Inside takes the lock in a transaction that outlasts it.
func Inside(ctx context.Context, db *gorm.DB, rs *redsync.Redsync, id, cents int64) error {
	return db.WithContext(ctx).Transaction(func(tx *gorm.DB) (err error) { // want: earlyrelease
		mu := rs.NewMutex("wallet", redsync.WithExpiry(time.Minute))
		if err := mu.LockContext(ctx); err != nil { // verdict: unfenced
			return err
		}
		defer func() {
			_, e := mu.UnlockContext(context.WithoutCancel(ctx))
			err = errors.Join(err, e)
		}()
		var w Wallet
		if err := tx.First(&w, id).Error; err != nil {
			return err
		}
		return tx.Model(&Wallet{}).Where("id = ?", id).Update("cents", w.Cents+cents).Error
	})
}

type units struct{ pool *pgxpool.Pool }

// within runs work in a transaction.
func (u *units) within(ctx context.Context, work func(context.Context, pgx.Tx) error) error {
	tx, err := u.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if err := work(ctx, tx); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// Unit locks in a transaction of the project's own making.
func Unit(ctx context.Context, u *units, locker *redislock.Client, id int64) error {
	return u.within(ctx, func(ctx context.Context, tx pgx.Tx) error { // want: earlyrelease
		lease, err := locker.Obtain(ctx, "unit", time.Minute, nil) // verdict: unfenced
		if err != nil {
			return err
		}
		defer lease.Release(context.WithoutCancel(ctx))
		var n int
		if err := tx.QueryRow(ctx, "SELECT n FROM unit WHERE id = $1", id).Scan(&n); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "UPDATE unit SET n = $2 WHERE id = $1", id, n+1)
		return err
	})
}

func exclusive(ctx context.Context, locker *redislock.Client, key string, work func() error) error {
	lease, err := locker.Obtain(ctx, key, time.Minute, nil)
	if err != nil {
		return err
	}
	defer lease.Release(context.WithoutCancel(ctx))
	return work()
}

// Around commits after the function that locks around the writes.
func Around(ctx context.Context, locker *redislock.Client, db *sql.DB, id int64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	err = exclusive(ctx, locker, "around", func() error { // verdict: unfenced
		var n int
		if err := tx.QueryRowContext(ctx, "SELECT n FROM around WHERE id = $1", id).Scan(&n); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE around SET n = $2 WHERE id = $1", id, n+1)
		return err
	})
	if err != nil {
		return err
	}
	return tx.Commit() // want: earlyrelease
}
