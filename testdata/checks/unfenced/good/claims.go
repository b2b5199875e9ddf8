package good

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

var errSpent = errors.New("spent already")

// Redeem: the voucher goes from open to spent once, and nothing in the module puts it back. Whoever is refused
// there writes nothing, so what follows is done by one of all that ever come.
func Redeem(ctx context.Context, locks *redislock.Client, db *sql.DB, voucher, account string) (err error) {
	lock, err := locks.Obtain(ctx, "lock:voucher:"+voucher, 10*time.Second, nil) // verdict: fenced // linked
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	const spend = "UPDATE voucher SET state = 'spent' WHERE id = $1 AND state = 'open'"
	if err := one(db.ExecContext(ctx, spend, voucher)); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "UPDATE account SET cents = cents + (SELECT cents FROM voucher WHERE id = $1) WHERE id = $2", voucher, account)
	return err
}

// A Desk hands out tickets.
type Desk struct{ db *sql.DB }

// take moves a ticket on; it tells by its error whether it was too late.
func (d *Desk) take(ctx context.Context, ticket int64) error {
	res, err := d.db.ExecContext(ctx, "UPDATE ticket SET state = 'taken' WHERE id = $1 AND state = 'new'", ticket)
	if err != nil {
		return fmt.Errorf("take: %w", err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return err
	}
	if n != 1 {
		return errSpent
	}
	return nil
}

// Reopen gives tickets back that somebody has taken.
func (d *Desk) Reopen(ctx context.Context, ticket int64) error {
	_, err := d.db.ExecContext(ctx, "UPDATE ticket SET state = 'new' WHERE id = $1", ticket)
	return err
}

// Serve: one of those who come at a time gets through. Reopen may let another one in while the first is late, so
// whether an old winner is kept out cannot be seen (claim).
func (d *Desk) Serve(ctx context.Context, locks *redislock.Client, ticket int64, note string) (err error) {
	lock, err := locks.Obtain(ctx, fmt.Sprintf("lock:ticket:%d", ticket), 10*time.Second, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	if err := d.take(ctx, ticket); err != nil {
		return err
	}
	_, err = d.db.ExecContext(ctx, "UPDATE served SET note = $2 WHERE ticket = $1", ticket, note)
	return err
}

// Settle: the version is compared, and the entry lands with it or not at all.
func Settle(ctx context.Context, locks *redislock.Client, db *sql.DB, order int64, text string) (err error) {
	lock, err := locks.Obtain(ctx, fmt.Sprintf("lock:order:%d", order), 10*time.Second, nil) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	var version int64
	if err := db.QueryRowContext(ctx, "SELECT version FROM orders WHERE id = $1", order).Scan(&version); err != nil {
		return err
	}
	return inTx(ctx, db, func(tx *sql.Tx) error {
		if err := one(tx.ExecContext(ctx, "UPDATE orders SET version = version + 1 WHERE id = $1 AND version = $2", order, version)); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO entry (orders, text) VALUES ($1, $2)", order, text)
		return err
	})
}

// inTx commits what fn does unless it fails.
func inTx(ctx context.Context, db *sql.DB, fn func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Try counts attempts, won or lost, so that nobody guesses codes: the counter is no resource that the lock protects.
func Try(ctx context.Context, locks *redislock.Client, rdb *redis.Client, db *sql.DB, code, who string) (err error) {
	lock, err := locks.Obtain(ctx, "lock:code:"+code, 10*time.Second, nil) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	if err := one(db.ExecContext(ctx, "UPDATE code SET state = 'used' WHERE text = $1 AND state = 'free'", code)); err != nil {
		key := "ratelimit:code:" + who
		return errors.Join(err, rdb.Incr(ctx, key).Err(), rdb.Expire(ctx, key, time.Hour).Err())
	}
	return nil
}
