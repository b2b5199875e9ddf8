// Package basin empties and fills basins on the connection that holds the lock. That is in the context.
package basin

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

type runner interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

type (
	connKey struct{}
	txKey   struct{}
)

var errBusy = errors.New("the basin is in use")

// held is the connection in a context.
func held(ctx context.Context) (*pgxpool.Conn, bool) {
	c, ok := ctx.Value(connKey{}).(*pgxpool.Conn)
	return c, ok
}

// on is what statements run on: the connection that holds the lock, or any.
func on(ctx context.Context, pool *pgxpool.Pool) runner {
	c, ok := held(ctx)
	if !ok {
		return pool
	}
	return c
}

// within is the transaction, the connection, or any.
func within(ctx context.Context, pool *pgxpool.Pool) runner {
	if tx, ok := ctx.Value(txKey{}).(pgx.Tx); ok {
		return tx
	}
	var r runner = pool
	if c := ctx.Value(connKey{}); c != nil {
		r = c.(*pgxpool.Conn)
	}
	return r
}

// Basins is the store.
type Basins struct{ pool *pgxpool.Pool }

// New makes the store.
func New(pool *pgxpool.Pool) *Basins { return &Basins{pool} }

// alone runs fn while nobody else is at the basin.
func (b *Basins) alone(ctx context.Context, id int64, fn func(context.Context) error) error {
	c, err := b.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	var ok bool
	if err := c.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", id).Scan(&ok); err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer c.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id)
	return fn(context.WithValue(ctx, connKey{}, c))
}

// other is a context with another connection than that which opens it.
func (b *Basins) other(ctx context.Context) (context.Context, func(), error) {
	c, err := b.pool.Acquire(ctx)
	if err != nil {
		return ctx, nil, err
	}
	return context.WithValue(ctx, connKey{}, c), c.Release, nil
}

// begun runs fn in a transaction of the connection.
func (b *Basins) begun(ctx context.Context, fn func(context.Context) error) error {
	c, ok := held(ctx)
	if !ok {
		return errBusy
	}
	return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error { return fn(context.WithValue(ctx, txKey{}, tx)) })
}

func (b *Basins) level(ctx context.Context, id int64, metres int) error {
	_, err := on(ctx, b.pool).Exec(ctx, "UPDATE basins SET level = $2 WHERE id = $1", id, metres) // want: unfenced
	return err
}

func (b *Basins) note(ctx context.Context, id int64) error {
	_, err := within(ctx, b.pool).Exec(ctx, "INSERT INTO changes (basin) VALUES ($1)", id)
	return err
}

// Fill works on the connection.
func (b *Basins) Fill(ctx context.Context, id int64) error {
	return b.alone(ctx, id, func(ctx context.Context) error { // verdict: fenced
		return b.level(ctx, id, 4)
	})
}

// Mark works on it too, unless whoever calls it has begun a transaction on another one.
func (b *Basins) Mark(ctx context.Context, id int64) error {
	return b.alone(ctx, id, func(ctx context.Context) error { // verdict: unverified
		return b.note(ctx, id)
	})
}

// Main has no caller who could.
func (b *Basins) Main(id int64) error {
	return b.alone(context.Background(), id, func(ctx context.Context) error { // verdict: fenced
		return b.note(ctx, id)
	})
}

// Drain works on whichever connection is free.
func (b *Basins) Drain(ctx context.Context, id int64) error {
	return b.alone(ctx, id, func(context.Context) error { // verdict: unfenced
		return b.level(context.Background(), id, 0)
	})
}

// Spill works on one of its own.
func (b *Basins) Spill(ctx context.Context, id int64) error {
	return b.alone(ctx, id, func(ctx context.Context) error { // verdict: unfenced
		ctx, done, err := b.other(ctx)
		if err != nil {
			return err
		}
		defer done()
		return b.level(ctx, id, 0)
	})
}

// Mix works in a transaction of the connection.
func (b *Basins) Mix(ctx context.Context, id int64) error {
	return b.alone(ctx, id, func(ctx context.Context) error { // verdict: fenced
		return b.begun(ctx, func(ctx context.Context) error {
			if err := b.note(ctx, id); err != nil {
				return err
			}
			return b.level(ctx, id, 2)
		})
	})
}
