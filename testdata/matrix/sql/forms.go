package sql

import (
	"context"
	"database/sql"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: none, weakcondition
func AsText(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.ExecContext(ctx, `UPDATE doc SET body = $1, token = $2 WHERE id = 1 AND token::text < $2::text`, body, token)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: token
func AsNumber(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.ExecContext(ctx, `UPDATE doc SET body = $1, token = $2 WHERE id = 1 AND token::text::bigint < CAST($2 AS bigint)`, body, token)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: token
func Zero(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.ExecContext(ctx, `UPDATE doc SET body = $1, token = $2 WHERE id = 1 AND (token = 0 OR token < $2)`, body, token)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func ZeroOfAnother(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.ExecContext(ctx, `UPDATE doc SET body = $1, token = $2, size = $3 WHERE id = 1 AND (size = 0 OR token < $2)`, body, token, len(body))
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: token
func Case(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.ExecContext(ctx, `UPDATE doc SET body = $1, token = $2 WHERE id = 1 AND CASE WHEN token < $2 THEN TRUE ELSE FALSE END`, body, token)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func CaseTurned(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.ExecContext(ctx, `UPDATE doc SET body = $1, token = $2 WHERE id = 1 AND CASE WHEN token < $2 THEN FALSE ELSE TRUE END`, body, token)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: token
func Selected(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.ExecContext(ctx, `UPDATE doc SET body = $1, token = $2 WHERE id = (SELECT id FROM doc WHERE name = $3 AND token < $2 FOR UPDATE)`, body, token, holder)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: unknown
func SelectedEarly(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.ExecContext(ctx, `UPDATE doc SET body = $1, token = $2 WHERE id IN (SELECT id FROM doc WHERE name = $3 AND token < $2)`, body, token, holder)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: unknown
func AskedEarly(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.ExecContext(ctx, `UPDATE doc SET body = $1, token = $2 WHERE id = 1 AND (SELECT token FROM doc WHERE id = 1) < $2`, body, token)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: unknown
func NewerVersion(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res, err := db.ExecContext(ctx, `UPDATE doc SET body = $1, version = $2 WHERE id = 1 AND version < $2`, body, version)
	if err != nil {
		return err
	}
	return affected(res)
}
