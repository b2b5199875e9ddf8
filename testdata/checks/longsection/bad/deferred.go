package bad

import (
	"context"
	"database/sql"
	"time"

	"github.com/bsm/redislock"
)

// Columns defers its releases in a loop: the first lock is held until the last column
// is there.
func Columns(ctx context.Context, locks *redislock.Client, db *sql.DB, columns []string) error {
	for _, column := range columns {
		lock, err := locks.Obtain(ctx, "lock:column:"+column, 5*time.Second, nil) // want: longsection // verdict: unfenced
		if err != nil {
			return err
		}
		defer lock.Release(context.WithoutCancel(ctx))
		if _, err := db.ExecContext(ctx, "INSERT INTO columns (name) VALUES ($1)", column); err != nil { // want: unfenced
			return err
		}
	}
	return nil
}
