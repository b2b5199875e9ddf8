package good

import (
	"context"
	"database/sql"
	"errors"
)

// A room is a pair of numbers.
type room struct{ house, number int32 }

func (r room) unlock(ctx context.Context, conn *sql.Conn) error {
	var freed bool
	err := conn.QueryRowContext(ctx, "SELECT pg_advisory_unlock($1, $2)", r.house, r.number).Scan(&freed)
	if err == nil && !freed {
		err = errBusy
	}
	return err
}

// Room takes and frees the pair.
func (r room) Room(ctx context.Context, conn *sql.Conn, job Job) (err error) {
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1, $2)", r.house, r.number); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, r.unlock(context.WithoutCancel(ctx), conn)) }()
	return job.Run(ctx)
}

// Both takes the house, and then a room of it.
func (r room) Both(ctx context.Context, conn *sql.Conn, job Job) (err error) {
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", r.house); err != nil { // verdict: unverified
		return err
	}
	defer func() {
		var freed bool
		if e := conn.QueryRowContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", r.house).Scan(&freed); e != nil || !freed {
			err = errors.Join(err, errBusy, e)
		}
	}()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1, $2)", r.house, r.number); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, r.unlock(context.WithoutCancel(ctx), conn)) }()
	return job.Run(ctx)
}

// Kept takes the room for its caller, and the house for a while.
func (r room) Kept(ctx context.Context, conn *sql.Conn, job Job) error {
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1, $2)", r.house, r.number); err != nil { // verdict: unverified
		return err
	}
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", r.house); err != nil { // verdict: unverified
		return err
	}
	var freed bool
	err := errors.Join(job.Run(ctx), conn.QueryRowContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", r.house).Scan(&freed))
	if err == nil && !freed {
		err = errBusy
	}
	return err
}
