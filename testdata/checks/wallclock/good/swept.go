package good

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"
)

const (
	clearPier = `DELETE FROM pier_locks WHERE pier = ? AND expires_at < NOW(6)`
	takePier  = `INSERT IGNORE INTO pier_locks (pier, owner, expires_at) VALUES (?, ?, NOW(6) + INTERVAL 60 SECOND)`
	leavePier = `DELETE FROM pier_locks WHERE pier = ? AND owner = ?`
)

// moor sweeps away what is over by the clock of the database, and moors then.
func moor(ctx context.Context, db *sql.DB, pier, ship string) error {
	if _, err := db.ExecContext(ctx, clearPier, pier); err != nil {
		return err
	}
	res, err := db.ExecContext(ctx, takePier, pier, ship)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errors.New("the pier is taken"))
	}
	return nil
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
