package good

import (
	"context"
	"database/sql"
	"time"

	"github.com/go-redsync/redsync/v4"
)

// Overdue changes whatever is due. Where nothing is, nobody was refused.
func Overdue(ctx context.Context, locks *redsync.Redsync, db *sql.DB, now time.Time) error {
	mutex := locks.NewMutex("overdue")
	if err := mutex.LockContext(ctx); err != nil { // verdict: fenced
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	_, err := db.ExecContext(ctx, "UPDATE invoices SET state = 'overdue' WHERE state = 'sent' AND due < $1", now)
	return err
}

// Wake changes whatever is on a shelf that is open: which row belongs to which is no question of
// who is late.
func Wake(ctx context.Context, locks *redsync.Redsync, db *sql.DB) error {
	mutex := locks.NewMutex("wake")
	if err := mutex.LockContext(ctx); err != nil { // verdict: fenced
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	_, err := db.ExecContext(ctx, "UPDATE toys JOIN shelves ON toys.shelf = shelves.id SET toys.awake = TRUE WHERE shelves.open = TRUE AND toys.awake = FALSE")
	return err
}

// Close compares what it has read under a row lock: that cannot fail.
func Close(ctx context.Context, locks *redsync.Redsync, db *sql.DB, id int64) error {
	mutex := locks.NewMutex("close")
	if err := mutex.LockContext(ctx); err != nil { // verdict: fenced
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var version int64
	if err := tx.QueryRowContext(ctx, "SELECT version FROM accounts WHERE id = $1 FOR UPDATE", id).Scan(&version); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE accounts SET state = 'closed', version = version + 1 WHERE id = $1 AND version = $2", id, version); err != nil {
		return err
	}
	return tx.Commit()
}

// Server is a machine that runs some version of a program.
type Server struct {
	ID      int64
	Version string
}

// Upgrade asks for the version of the server, which is not that of the row.
func Upgrade(ctx context.Context, locks *redsync.Redsync, db *sql.DB, id int64) error {
	mutex := locks.NewMutex("upgrade")
	if err := mutex.LockContext(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	s := Server{ID: id}
	if err := db.QueryRowContext(ctx, "SELECT version FROM servers WHERE id = $1", id).Scan(&s.Version); err != nil {
		return err
	}
	if s.Version != "8.0" {
		return nil
	}
	_, err := db.ExecContext(ctx, "INSERT INTO upgrades (server) VALUES ($1)", id) // want: unfenced
	return err
}
