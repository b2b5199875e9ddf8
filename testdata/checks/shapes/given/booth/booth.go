// Package booth works with locks, statements and records that main gives it as functions.
package booth

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.org/locks/checks/shapes/given/turns"
)

var errLate = errors.New("somebody came later, and was here before")

// DB is a pool or a transaction.
type DB interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// A Ledger writes to what it was made with.
type Ledger struct{ db DB }

func NewLedger(db DB) *Ledger { return &Ledger{db: db} }

// Enter writes whatever was there.
func (l *Ledger) Enter(ctx context.Context, page, line string) error {
	_, err := l.db.Exec(ctx, "UPDATE ledger SET line = $2 WHERE page = $1", page, line) // want: unfenced
	return err
}

// Strike does so as well.
func (l *Ledger) Strike(ctx context.Context, page string) error {
	_, err := l.db.Exec(ctx, "UPDATE ledger SET struck = true WHERE page = $1", page) // want: unfenced // linked
	return err
}

// Booth is what main makes.
type Booth struct {
	Pool   *pgxpool.Pool
	Turn   func(ctx context.Context, name string) (*turns.Turn, error)
	Stamp  func(ctx context.Context, ticket string, number int64) error
	Ledger func(db DB) *Ledger
}

// Sell hands the number on to a function.
func (b *Booth) Sell(ctx context.Context, ticket string) (err error) {
	t, err := b.Turn(ctx, "sell:"+ticket) // verdict: fenced // linked
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Leave()) }()
	return b.Stamp(ctx, ticket, t.Number)
}

// Void leaves it behind.
func (b *Booth) Void(ctx context.Context, ticket string) (err error) {
	t, err := b.Turn(ctx, "void:"+ticket) // verdict: unfenced // linked
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Leave()) }()
	return b.Ledger(b.Pool).Strike(ctx, ticket)
}

// Book makes a ledger of the transaction that has the lock.
func (b *Booth) Book(ctx context.Context, page, line string) error {
	return turns.InTx(ctx, b.Pool, "book:"+page, func(ctx context.Context, tx pgx.Tx) error { // verdict: fenced // linked
		return b.Ledger(tx).Enter(ctx, page, line)
	})
}

// Scribble makes one of the pool.
func (b *Booth) Scribble(ctx context.Context, page, line string) error {
	return turns.InTx(ctx, b.Pool, "scribble:"+page, func(ctx context.Context, _ pgx.Tx) error { // verdict: unfenced
		return b.Ledger(b.Pool).Enter(ctx, page, line)
	})
}

// Stamped makes a function that stamps tickets.
func Stamped(pool *pgxpool.Pool) func(ctx context.Context, ticket string, number int64) error {
	return func(ctx context.Context, ticket string, number int64) error {
		tag, err := pool.Exec(ctx, "UPDATE ticket SET sold = true, number = $2 WHERE id = $1 AND number < $2", ticket, number)
		if err == nil && tag.RowsAffected() == 0 {
			err = errLate
		}
		return err
	}
}
