package bad

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Purses keeps what people have.
type Purses struct {
	locks *redislock.Client
	db    *sql.DB
}

// Give works out what one has from a row that is kept, and writes to another table.
func (p *Purses) Give(ctx context.Context, id int64) (err error) {
	hold, err := p.locks.Obtain(ctx, "lock:purse", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hold.Release(context.WithoutCancel(ctx))) }()
	tx, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var left int64
	if err := tx.QueryRowContext(ctx, "SELECT coins FROM purse WHERE id = $1 FOR UPDATE", id).Scan(&left); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE account SET coins = $2 WHERE id = $1", id, left); err != nil { // want: unfenced
		return err
	}
	return tx.Commit()
}

// Move keeps one of two rows that it reads.
func (p *Purses) Move(ctx context.Context, from, to int64) (err error) {
	hold, err := p.locks.Obtain(ctx, "lock:purse", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hold.Release(context.WithoutCancel(ctx))) }()
	tx, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var out, in int64
	if err := tx.QueryRowContext(ctx, "SELECT coins FROM purse WHERE id = $1 FOR UPDATE", from).Scan(&out); err != nil {
		return err
	}
	if err := tx.QueryRowContext(ctx, "SELECT coins FROM purse WHERE id = $1", to).Scan(&in); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE purse SET coins = $2 WHERE id = $1", to, out+in); err != nil { // want: unfenced
		return err
	}
	return tx.Commit()
}

// Rename stores what was decided before beside what it works out.
func (p *Purses) Rename(ctx context.Context, id int64, name string) (err error) {
	hold, err := p.locks.Obtain(ctx, "lock:purse", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hold.Release(context.WithoutCancel(ctx))) }()
	tx, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var left int64
	if err := tx.QueryRowContext(ctx, "SELECT coins FROM purse WHERE id = $1 FOR UPDATE", id).Scan(&left); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE purse SET coins = $2, name = $3 WHERE id = $1", id, left-1, name); err != nil { // want: unfenced
		return err
	}
	return tx.Commit()
}

// A PurseRow is a row of the table purse.
type PurseRow struct {
	ID    int64
	Coins int64
	Name  string
}

// Label does so with a record that is read and saved.
func Label(ctx context.Context, locks *redislock.Client, db *gorm.DB, id int64, name string) (err error) {
	hold, err := locks.Obtain(ctx, "lock:purse", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hold.Release(context.WithoutCancel(ctx))) }()
	return db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		var p PurseRow
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).First(&p, id).Error; err != nil {
			return err
		}
		p.Coins--
		p.Name = name
		return tx.Save(&p).Error // want: unfenced
	})
}
