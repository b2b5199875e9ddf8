package good

import (
	"context"
	"database/sql"
	"time"

	"github.com/bsm/redislock"
)

// Columns gives each lock back before it takes the next.
func Columns(ctx context.Context, locks *redislock.Client, db *sql.DB, columns []string) error {
	for _, column := range columns {
		if err := add(ctx, locks, db, column); err != nil {
			return err
		}
	}
	return nil
}

func add(ctx context.Context, locks *redislock.Client, db *sql.DB, column string) error {
	lock, err := locks.Obtain(ctx, "lock:column:"+column, 5*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	_, err = db.ExecContext(ctx, "INSERT INTO columns (name) VALUES ($1)", column) // want: unfenced
	return err
}
