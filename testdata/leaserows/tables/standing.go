package tables

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

var ErrLocked = errors.New("somebody else migrates")

// A Store keeps its lock in a table whose name is a setting: the row stands while
// the lock is held, and its primary key refuses a second one.
type Store struct {
	db  *sql.DB
	cfg struct{ LockTable, VersionTable string }
}

// Lock looks for the row and inserts it.
func (s *Store) Lock(ctx context.Context, id int64) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	rows, err := tx.QueryContext(ctx, "SELECT 1 FROM "+s.cfg.LockTable+" WHERE lock_id = $1", id)
	if err != nil {
		return err
	}
	taken := rows.Next()
	if err := rows.Close(); err != nil {
		return err
	}
	if taken {
		return ErrLocked
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO "+s.cfg.LockTable+" (lock_id) VALUES ($1)", id); err != nil { // want: acquire
		return fmt.Errorf("take the lock: %w", err)
	}
	return tx.Commit()
}

// Unlock deletes the row.
func (s *Store) Unlock(ctx context.Context, id int64) error {
	_, err := s.db.ExecContext(ctx, "DELETE FROM "+s.cfg.LockTable+" WHERE lock_id = $1", id) // note: release
	return err
}

// Migrate runs a migration under the lock. Its version is written to another
// table, whose name is a setting as well.
func (s *Store) Migrate(ctx context.Context, id int64, version int) error {
	if err := s.Lock(ctx, id); err != nil { // verdict: unfenced
		return err
	}
	defer s.Unlock(context.WithoutCancel(ctx), id)
	_, err := s.db.ExecContext(ctx, "UPDATE "+s.cfg.VersionTable+" SET version = $1", version) // want: unfenced
	return err
}

// Export answers a duplicate with an error of its own, and deletes its own row only.
func Export(ctx context.Context, db *sql.DB, owner string) error {
	_, err := db.ExecContext(ctx, "INSERT INTO export_locks (name, owner) VALUES ('export', $1)", owner) // want: acquire // verdict: unfenced
	var failure *pgconn.PgError
	if errors.As(err, &failure) && failure.Code == "23505" {
		return ErrLocked
	}
	if err != nil {
		return err
	}
	defer db.ExecContext(context.WithoutCancel(ctx), "DELETE FROM export_locks WHERE name = 'export' AND owner = $1", owner)
	_, err = db.ExecContext(ctx, "UPDATE exports SET done = true WHERE day = current_date") // want: unfenced
	return err
}

// Import inserts unless there is a row, and counts.
func Import(ctx context.Context, db *sql.DB, owner string) error {
	res, err := db.ExecContext(ctx, "INSERT INTO import_lock (name, owner) VALUES ('import', $1) ON CONFLICT DO NOTHING", owner) // want: acquire // verdict: unfenced
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	defer db.ExecContext(context.WithoutCancel(ctx), "DELETE FROM import_lock WHERE name = 'import' AND owner = $1", owner)
	_, err = db.ExecContext(ctx, "UPDATE imports SET done = true WHERE day = current_date") // want: unfenced
	return err
}

// Maintain takes a machine out of service for an hour, or until it is done. The
// table is not named like a lock.
func Maintain(ctx context.Context, db *sql.DB, machine, owner string) error {
	res, err := send(ctx, db, // verdict: unfenced
		"INSERT INTO maintenance (machine, owner, ends) VALUES ($1, $2, now() + interval '1 hour') ON CONFLICT DO NOTHING", machine, owner)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errors.New("already in maintenance"))
	}
	defer db.ExecContext(context.WithoutCancel(ctx), "UPDATE maintenance SET ends = now() WHERE machine = $1 AND owner = $2", machine, owner)
	_, err = db.ExecContext(ctx, "UPDATE machines SET firmware = 2 WHERE id = $1", machine) // want: unfenced
	return err
}

// send only sends: what it takes shows where it is called.
func send(ctx context.Context, db *sql.DB, text string, args ...any) (sql.Result, error) {
	return db.ExecContext(ctx, text, args...)
}
