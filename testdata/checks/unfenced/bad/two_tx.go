package bad

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"
)

// Quarry writes in a transaction of its own while another one has the lock.
type Quarry struct {
	pool *pgxpool.Pool
	orm  *gorm.DB
}

// Cut begins a second transaction on the pool; what that commits has nothing to do with the first.
func (q *Quarry) Cut(ctx context.Context, id string) error {
	return pgx.BeginFunc(ctx, q.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext($1))", id); err != nil { // verdict: unfenced
			return err
		}
		return pgx.BeginFunc(ctx, q.pool, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "UPDATE quarry SET cut = cut + 1, state = 'cut' WHERE id = $1", id) // want: unfenced
			return err
		})
	})
}

// Haul has its transaction made by the function that stores.
func (q *Quarry) Haul(ctx context.Context, id string) error {
	return q.orm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if err := tx.Exec("SELECT pg_advisory_xact_lock(hashtext(?))", id).Error; err != nil { // verdict: unfenced
			return err
		}
		return q.store(ctx, id)
	})
}

func (q *Quarry) store(ctx context.Context, id string) error {
	return q.orm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		return tx.Exec("UPDATE quarry SET state = 'hauled' WHERE id = ?", id).Error // want: unfenced
	})
}

// Again goes on in a new transaction when the first has failed.
func (q *Quarry) Again(ctx context.Context, id string) error {
	tx, err := q.pool.Begin(ctx)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext($1))", id); err != nil { // verdict: unfenced
		return errors.Join(err, tx.Rollback(ctx))
	}
	var state string
	if err := tx.QueryRow(ctx, "SELECT state FROM quarry WHERE id = $1", id).Scan(&state); err != nil {
		_ = tx.Rollback(ctx)
		if tx, err = q.pool.Begin(ctx); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, "UPDATE quarry SET state = $2 WHERE id = $1", id, state+"!"); err != nil { // want: unfenced
		return errors.Join(err, tx.Rollback(ctx))
	}
	return tx.Commit(ctx)
}
