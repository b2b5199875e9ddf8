package bad

import (
	"context"
	"database/sql"
	"time"
)

// Reign closes the connection on every way, and unlocks on none.
func Reign(ctx context.Context, db *sql.DB, id int64, job Job) error {
	for {
		conn, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		var held bool
		if err := conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", id).Scan(&held); err != nil { // want: release // verdict: unverified
			conn.Close()
			return err
		}
		if held {
			err := job.Run(ctx)
			conn.Close()
			return err
		}
		conn.Close()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}
