package bad

import (
	"context"
	"database/sql"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// Retitle moves the version of a chart.
func Retitle(ctx context.Context, session *concurrency.Session, db *sql.DB, id, name string) error {
	return withToken(ctx, session, "/charts/"+id, func(int64) error { // verdict: fenced
		var version int64
		if err := db.QueryRowContext(ctx, "SELECT version FROM chart WHERE id = $1", id).Scan(&version); err != nil {
			return err
		}
		return one(db.ExecContext(ctx, "UPDATE chart SET name = $3, version = version + 1 WHERE id = $1 AND version = $2", id, version, name))
	})
}

// Redraw compares it, and leaves it as it was.
func Redraw(ctx context.Context, session *concurrency.Session, db *sql.DB, id, lines string) error {
	return withToken(ctx, session, "/charts/"+id, func(int64) error { // verdict: unfenced
		var version int64
		var old string
		if err := db.QueryRowContext(ctx, "SELECT version, lines FROM chart WHERE id = $1", id).Scan(&version, &old); err != nil {
			return err
		}
		return one(db.ExecContext(ctx, "UPDATE chart SET lines = $3 WHERE id = $1 AND version = $2", id, version, old+lines)) // want: weakcondition
	})
}

// Refile stores what it compares.
func Refile(ctx context.Context, session *concurrency.Session, db *sql.DB, id, drawer string) error {
	return withToken(ctx, session, "/charts/"+id, func(int64) error { // verdict: unfenced
		var version int64
		if err := db.QueryRowContext(ctx, "SELECT version FROM chart WHERE id = $1", id).Scan(&version); err != nil {
			return err
		}
		return one(db.ExecContext(ctx, "UPDATE chart SET drawer = $3, version = $2 WHERE id = $1 AND version = $2", id, version, drawer)) // want: weakcondition
	})
}
