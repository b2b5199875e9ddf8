package sql

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func Written(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	var b strings.Builder
	b.WriteString("UPDATE doc SET body = ?, token = ? WHERE id = 1")
	b.WriteByte(' ')
	fmt.Fprintf(&b, "AND %s < ?", "token")
	res, err := db.ExecContext(ctx, b.String(), body, token, token)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func WrittenTurned(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	var b strings.Builder
	b.WriteString("UPDATE doc SET body = ?, token = ? WHERE id = 1")
	b.WriteString(" AND token")
	b.WriteString(" > ?")
	res, err := db.ExecContext(ctx, b.String(), body, token, token)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: unknown
func WrittenSometimes(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	var b strings.Builder
	b.WriteString("UPDATE doc SET body = ?, token = ? WHERE id = 1")
	if holder != "" {
		b.WriteString(" AND token < ?")
	}
	res, err := db.ExecContext(ctx, b.String(), body, token, token)
	if err != nil {
		return err
	}
	return affected(res)
}
