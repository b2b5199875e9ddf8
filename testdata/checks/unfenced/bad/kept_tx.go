package bad

import (
	"context"
	"database/sql"
	"errors"
)

// A mover owns the lock by one connection and changes rows in a transaction that it
// begins on another one.
type mover struct {
	pool  *sql.DB
	owner *sql.Conn
	work  *sql.Tx
}

func (m *mover) begin(ctx context.Context) (err error) {
	m.work, err = m.pool.BeginTx(ctx, nil)
	return err
}

func (m *mover) shift(ctx context.Context, from, to int64) error {
	_, err := m.work.ExecContext(ctx, "UPDATE parcel SET shelf = $2 WHERE shelf = $1", from, to) // want: unfenced
	return err
}

// Move goes on although its lock may be another's by then.
func (m *mover) Move(ctx context.Context, from, to int64) (err error) {
	if _, err := m.owner.ExecContext(ctx, "SELECT pg_advisory_lock(9120)"); err != nil { // verdict: unfenced
		return err
	}
	defer func() {
		var ok bool
		e := m.owner.QueryRowContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock(9120)").Scan(&ok)
		if e == nil && !ok {
			e = errors.New("the lock was lost")
		}
		err = errors.Join(err, e)
	}()
	if err := m.begin(ctx); err != nil {
		return err
	}
	if err := m.shift(ctx, from, to); err != nil {
		return err
	}
	return m.work.Commit()
}
