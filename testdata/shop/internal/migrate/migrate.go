// Package migrate brings the schema up to date when a replica starts. Its advisory lock belongs to a
// database session, but each statement takes any connection of the pool: the unlock may not find the lock,
// which then stays until that connection is closed.
package migrate

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"path"
)

//go:embed schema/*.sql
var schema embed.FS

const lockID = 7301

// Up applies every file of the schema in order. All of them may run again.
func Up(ctx context.Context, db *sql.DB) (err error) {
	if _, err := db.ExecContext(ctx, "SELECT pg_advisory_lock($1)", lockID); err != nil { // want: poolconn // verdict: unverified
		return fmt.Errorf("lock schema: %w", err)
	}
	defer func() {
		var ok bool
		e := db.QueryRowContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", lockID).Scan(&ok)
		if e == nil && !ok {
			e = errors.New("schema lock is not held by this session")
		}
		err = errors.Join(err, e)
	}()

	files, err := schema.ReadDir("schema")
	if err != nil {
		return fmt.Errorf("list schema: %w", err)
	}
	for _, f := range files {
		text, err := schema.ReadFile(path.Join("schema", f.Name()))
		if err != nil {
			return fmt.Errorf("read %s: %w", f.Name(), err)
		}
		if _, err := db.ExecContext(ctx, string(text)); err != nil {
			return fmt.Errorf("apply %s: %w", f.Name(), err)
		}
	}
	return nil
}
