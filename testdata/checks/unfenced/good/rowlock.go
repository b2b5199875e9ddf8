package good

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Purse is a row of the table of that name.
type Purse struct {
	ID    int64
	Coins int64
}

// Spend works out what is left from a row that nobody else changes until it has written:
// who comes late takes from what is there by then.
func Spend(ctx context.Context, locks *redislock.Client, db *sql.DB, id, coins int64) (err error) {
	hold, err := locks.Obtain(ctx, "lock:purse", time.Minute, nil) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hold.Release(context.WithoutCancel(ctx))) }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var left int64
	if err := tx.QueryRowContext(ctx, "SELECT coins FROM purse WHERE id = $1 FOR UPDATE", id).Scan(&left); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE purse SET coins = $2 WHERE id = $1", id, left-coins); err != nil {
		return err
	}
	return tx.Commit()
}

// Empty does so with a record that is read and saved.
func Empty(ctx context.Context, locks *redislock.Client, db *gorm.DB, id, coins int64) (err error) {
	hold, err := locks.Obtain(ctx, "lock:purse", time.Minute, nil) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hold.Release(context.WithoutCancel(ctx))) }()
	return db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		var p Purse
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).First(&p, id).Error; err != nil {
			return err
		}
		p.Coins -= coins
		return tx.Save(&p).Error
	})
}
