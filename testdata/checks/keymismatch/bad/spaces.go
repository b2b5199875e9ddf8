package bad

import (
	"context"
	"database/sql"
	"errors"
)

// A room is a pair of numbers.
type room struct{ house, number int32 }

func (r room) unlock(ctx context.Context, conn *sql.Conn) error {
	var freed bool
	err := conn.QueryRowContext(ctx, "SELECT pg_advisory_unlock($1)", int64(r.house)<<32|int64(r.number)).Scan(&freed) // want: keymismatch
	if err == nil && !freed {
		err = errBusy
	}
	return err
}

// Room takes the pair, and frees the number that is made of it.
func (r room) Room(ctx context.Context, conn *sql.Conn, job Job) (err error) {
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1, $2)", r.house, r.number); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, r.unlock(context.WithoutCancel(ctx), conn)) }()
	return job.Run(ctx)
}
