package good

import (
	"context"
	"database/sql"
	"errors"
)

// Lift keeps the pool beside its connection, for what needs no lock.
type Lift struct {
	db    *sql.DB
	conn  *sql.Conn
	shaft int64
}

// Call takes a connection of its own.
func (l *Lift) Call(ctx context.Context) (err error) {
	if l.conn, err = l.db.Conn(ctx); err != nil {
		return err
	}
	if _, err := l.conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", l.shaft); err != nil {
		return errors.Join(err, l.conn.Close())
	}
	return nil
}

// Send unlocks on that.
func (l *Lift) Send(ctx context.Context) error {
	_, err := l.conn.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", l.shaft)
	return errors.Join(err, l.conn.Close())
}

// Floors are counted by any connection.
func (l *Lift) Floors(ctx context.Context) (n int, err error) {
	err = l.db.QueryRowContext(ctx, "SELECT count(*) FROM floors WHERE shaft = $1", l.shaft).Scan(&n)
	return n, err
}

// Ride sends the lift away.
func Ride(ctx context.Context, db *sql.DB, job Job) (err error) {
	l := &Lift{db: db, shaft: 3}
	if err := l.Call(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, l.Send(context.WithoutCancel(ctx))) }()
	if n, err := l.Floors(ctx); err != nil || n == 0 {
		return err
	}
	return job.Run(ctx)
}
