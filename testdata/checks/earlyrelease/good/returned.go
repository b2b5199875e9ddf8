package good

import (
	"context"
	"database/sql"
	"time"

	"github.com/bsm/redislock"
)

// Purse has a number of coins.
type Purse struct {
	ID      string
	Coins   int64
	Version int64
}

func read(ctx context.Context, locker *redislock.Client, db *sql.DB, id string) (p Purse, err error) {
	lease, err := locker.Obtain(ctx, "purse:"+id, time.Minute, nil) // verdict: no-visible-write
	if err != nil {
		return p, err
	}
	defer lease.Release(context.WithoutCancel(ctx))
	err = db.QueryRowContext(ctx, "SELECT coins, version FROM purses WHERE id = $1", id).Scan(&p.Coins, &p.Version)
	return p, err
}

// Spend compares what was read, so that the table refuses what has changed since.
func Spend(ctx context.Context, locker *redislock.Client, db *sql.DB, id string, coins int64) (bool, error) {
	p, err := read(ctx, locker, db, id)
	if err != nil {
		return false, err
	}
	res, err := db.ExecContext(ctx, "UPDATE purses SET coins = $2, version = version + 1 WHERE id = $1 AND version = $3", id, p.Coins-coins, p.Version)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// Report stores it elsewhere.
func Report(ctx context.Context, locker *redislock.Client, db *sql.DB, id string) error {
	p, err := read(ctx, locker, db, id)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "INSERT INTO reports (purse, coins) VALUES ($1, $2)", id, p.Coins)
	return err
}

// claim takes a row for itself while it holds the lock.
func claim(ctx context.Context, locker *redislock.Client, db *sql.DB) (id string, tries int64, err error) {
	lease, err := locker.Obtain(ctx, "chores", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return "", 0, err
	}
	defer lease.Release(context.WithoutCancel(ctx))
	if err := db.QueryRowContext(ctx, "SELECT id, tries FROM chores WHERE state = 'new' LIMIT 1").Scan(&id, &tries); err != nil {
		return "", 0, err
	}
	_, err = db.ExecContext(ctx, "UPDATE chores SET state = 'taken' WHERE id = $1", id) // want: unfenced
	return id, tries, err
}

// Chore finishes later what it has claimed.
func Chore(ctx context.Context, locker *redislock.Client, db *sql.DB) error {
	id, tries, err := claim(ctx, locker, db)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "UPDATE chores SET state = 'done', tries = $2 WHERE id = $1", id, tries+1)
	return err
}
