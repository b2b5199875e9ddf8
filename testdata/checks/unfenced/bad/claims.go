package bad

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/bsm/redislock"
)

// changed reports whether a statement has changed a row.
func changed(res sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// ShrugOff asks who has won and goes on all the same.
func ShrugOff(ctx context.Context, locks *redislock.Client, db *sql.DB, coupon, account string) (err error) {
	lock, err := locks.Obtain(ctx, "lock:coupon:"+coupon, 10*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	won, err := changed(db.ExecContext(ctx, "UPDATE coupon SET state = 'spent' WHERE id = $1 AND state = 'open'", coupon))
	if err != nil {
		return err
	}
	if !won {
		fmt.Println("spent already:", coupon)
	}
	_, err = db.ExecContext(ctx, "UPDATE account SET bonus = bonus + 1, coupon = $1 WHERE id = $2", coupon, account) // want: unfenced
	return err
}

// BesideIt claims one thing and writes another.
func BesideIt(ctx context.Context, locks *redislock.Client, db *sql.DB, shelf, visit int64, text string) (err error) {
	lock, err := locks.Obtain(ctx, fmt.Sprintf("lock:shelf:%d", shelf), 10*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	won, err := changed(db.ExecContext(ctx, "UPDATE visit SET state = 'counted' WHERE id = $1 AND state = 'new'", visit))
	if err != nil || !won {
		return err
	}
	_, err = db.ExecContext(ctx, "UPDATE shelf SET text = $2 WHERE id = $1", shelf, text) // want: unfenced
	return err
}

// TryAgain reads the version anew until it is accepted: whoever is refused gets through after all.
func TryAgain(ctx context.Context, locks *redislock.Client, db *sql.DB, page int64, text string) (err error) {
	lock, err := locks.Obtain(ctx, fmt.Sprintf("lock:page:%d", page), 10*time.Second, nil) // want: longsection // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	for {
		var version int64
		if err := db.QueryRowContext(ctx, "SELECT version FROM page WHERE id = $1", page).Scan(&version); err != nil {
			return err
		}
		won, err := changed(db.ExecContext(ctx, "UPDATE page SET version = version + 1 WHERE id = $1 AND version = $2", page, version))
		if err != nil {
			return err
		}
		if won {
			break
		}
	}
	_, err = db.ExecContext(ctx, "UPDATE page_text SET text = $2 WHERE page = $1", page, text) // want: unfenced
	return err
}

// FailOpen goes on where the claim could not be asked for.
func FailOpen(ctx context.Context, locks *redislock.Client, db *sql.DB, badge, account string) (err error) {
	lock, err := locks.Obtain(ctx, "lock:badge:"+badge, 10*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	won, err := changed(db.ExecContext(ctx, "UPDATE badge SET state = 'given' WHERE id = $1 AND state = 'new'", badge))
	if err == nil && !won {
		return nil
	}
	_, err = db.ExecContext(ctx, "UPDATE account SET badges = badges + 1, badge = $1 WHERE id = $2", badge, account) // want: unfenced
	return err
}

// FirstOfTwo is a branch that only some come through.
func FirstOfTwo(ctx context.Context, locks *redislock.Client, db *sql.DB, card string, urgent bool) (err error) {
	lock, err := locks.Obtain(ctx, "lock:card:"+card, 10*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	if !urgent {
		won, err := changed(db.ExecContext(ctx, "UPDATE card SET state = 'drawn' WHERE id = $1 AND state = 'new'", card))
		if err != nil || !won {
			return err
		}
	}
	_, err = db.ExecContext(ctx, "UPDATE hand SET cards = cards + 1 WHERE card = $1", card) // want: unfenced
	return err
}
