package bad

import (
	"context"
	"database/sql"
	"errors"
)

// Summarize: the lock belongs to conn, the work runs on other connections of the pool and survives it.
func Summarize(ctx context.Context, db *sql.DB, table, rows int64) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var ok bool
	if err := conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", table).Scan(&ok); err != nil { // verdict: unfenced
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() {
		var freed bool
		e := conn.QueryRowContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", table).Scan(&freed)
		if e == nil && !freed {
			e = errLost
		}
		err = errors.Join(err, e)
	}()

	_, err = db.ExecContext(ctx, "UPDATE summary SET rows = $2 WHERE table_id = $1", table, rows) // want: unfenced
	return err
}
