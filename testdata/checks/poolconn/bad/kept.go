package bad

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Objects that keep the pool beside the connection, and give back on the wrong one.

// Lift is called to one floor.
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

// Send asks any connection to unlock.
func (l *Lift) Send(ctx context.Context) error {
	_, err := l.db.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", l.shaft) // want: poolconn
	return errors.Join(err, l.conn.Close())
}

// Ride is one of two that send the lift away.
func Ride(ctx context.Context, db *sql.DB, job Job) (err error) {
	l := &Lift{db: db, shaft: 3}
	if err := l.Call(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, l.Send(context.WithoutCancel(ctx))) }()
	return job.Run(ctx)
}

// Maintain is the other one.
func Maintain(ctx context.Context, db *sql.DB, job Job) (err error) {
	l := &Lift{db: db, shaft: 4}
	if err := l.Call(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, l.Send(context.WithoutCancel(ctx))) }()
	return job.Run(ctx)
}

// crane returns what gives back.
func crane(ctx context.Context, pool *pgxpool.Pool, id int64) (func(context.Context) error, error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", id); err != nil {
		conn.Release()
		return nil, err
	}
	return func(ctx context.Context) error {
		defer conn.Release()
		_, err := pool.Exec(ctx, "SELECT pg_advisory_unlock($1)", id) // want: poolconn
		return err
	}, nil
}

// Hoist works with a crane.
func Hoist(ctx context.Context, pool *pgxpool.Pool, job Job) (err error) {
	down, err := crane(ctx, pool, 5) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, down(context.WithoutCancel(ctx))) }()
	return job.Run(ctx)
}

// line is a connection that has a name.
type line struct{ *sql.Conn }

// Winch is a line, and remembers where that is from.
type Winch struct {
	line
	from *sql.DB
	name string
}

// Wind waits for ten seconds.
func Wind(ctx context.Context, db *sql.DB, name string) (*Winch, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &Winch{line: line{conn}, from: db, name: name}
	var got sql.NullInt64
	if err := w.QueryRowContext(ctx, "SELECT GET_LOCK(?, 10)", name).Scan(&got); err != nil || got.Int64 != 1 {
		return nil, errors.Join(err, errors.New("no winch"), conn.Close())
	}
	return w, nil
}

// Unwind gives it back.
func (w *Winch) Unwind(ctx context.Context) error {
	var got sql.NullInt64
	err := w.from.QueryRowContext(ctx, "SELECT RELEASE_LOCK(?)", w.name).Scan(&got) // want: poolconn
	if err == nil && got.Int64 != 1 {
		err = errors.New("the winch was not ours")
	}
	return errors.Join(err, w.line.Close())
}

// Pull works with a winch.
func Pull(ctx context.Context, db *sql.DB, job Job) (err error) {
	w, err := Wind(ctx, db, "pull") // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Unwind(context.WithoutCancel(ctx))) }()
	return job.Run(ctx)
}

// Gantry borrows a connection to lock, and whichever is free to unlock.
type Gantry struct{ pool *pgxpool.Pool }

func (g *Gantry) up(ctx context.Context) error {
	return g.pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		_, err := c.Exec(ctx, "SELECT pg_advisory_lock(6)") // want: poolconn
		return err
	})
}

func (g *Gantry) down(ctx context.Context) error {
	return g.pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		_, err := c.Exec(ctx, "SELECT pg_advisory_unlock(6)")
		return err
	})
}

// Move works between the two.
func (g *Gantry) Move(ctx context.Context, job Job) (err error) {
	if err := g.up(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, g.down(context.WithoutCancel(ctx))) }()
	return job.Run(ctx)
}
