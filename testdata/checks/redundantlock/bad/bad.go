// Package bad locks what the database keeps apart anyway.
package bad

import (
	"context"
	"database/sql"

	"github.com/go-redsync/redsync/v4"
)

// Register writes by unique key, then by version.
func Register(ctx context.Context, locks *redsync.Redsync, db *sql.DB, mail string, version int) (bool, error) {
	mutex := locks.NewMutex("register")
	if err := mutex.LockContext(ctx); err != nil { // want: redundantlock // verdict: fenced
		return false, err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	if _, err := db.ExecContext(ctx, "INSERT INTO users (mail) VALUES ($1) ON CONFLICT (mail) DO NOTHING", mail); err != nil {
		return false, err
	}
	res, err := db.ExecContext(ctx, "UPDATE site SET users = users + 1, version = version + 1 WHERE version = $1", version)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}
