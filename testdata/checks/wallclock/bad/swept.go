package bad

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"
)

const (
	clearPier = `DELETE FROM pier_locks WHERE pier = ? AND expires_at < ?`
	takePier  = `INSERT IGNORE INTO pier_locks (pier, owner, expires_at) VALUES (?, ?, ?)`
	leavePier = `DELETE FROM pier_locks WHERE pier = ? AND owner = ?`
)

// moor sweeps away what is over by its own clock, and moors then.
func moor(ctx context.Context, db *sql.DB, pier, ship string) error {
	now := time.Now().UTC()
	if _, err := db.ExecContext(ctx, clearPier, pier, now); err != nil { // want: wallclock
		return err
	}
	return taken(db.ExecContext(ctx, takePier, pier, ship, now.Add(time.Minute)))
}

// Unload works while it lies at the pier.
func Unload(ctx context.Context, db *sql.DB, pier string, work func(context.Context) error) (err error) {
	ship := uuid.NewString()
	if err := moor(ctx, db, pier, ship); err != nil {
		return err
	}
	defer func() {
		_, e := db.ExecContext(context.WithoutCancel(ctx), leavePier, pier, ship)
		err = errors.Join(err, e)
	}()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return work(ctx)
}
