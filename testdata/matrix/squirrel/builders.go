package squirrel

import (
	"context"
	"database/sql"

	"github.com/Masterminds/squirrel"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func Either(ctx context.Context, session *concurrency.Session, db *sql.DB, body string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := squirrel.Update("doc").Set("body", body).Set("token", token).Where("id = 1").Where(squirrel.Or{squirrel.Lt{"token": token}, squirrel.Eq{"token": nil}}).RunWith(db).ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func EitherOfAll(ctx context.Context, session *concurrency.Session, db *sql.DB, body string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := squirrel.Update("doc").Set("body", body).Set("token", token).Where(squirrel.Or{squirrel.Lt{"token": token}, squirrel.Eq{"id": 1}}).RunWith(db).ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: token
func BothOf(ctx context.Context, session *concurrency.Session, db *sql.DB, body string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := squirrel.Update("doc").Set("body", body).Set("token", token).Where(squirrel.And{squirrel.Eq{"id": 1}, squirrel.Expr("token < ?", token)}).RunWith(db).ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: token
func Upsert(ctx context.Context, session *concurrency.Session, db *sql.DB, body string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := squirrel.Insert("doc").Columns("id", "body", "token").Values(1, body, token).Suffix("ON CONFLICT (id) DO UPDATE SET body = EXCLUDED.body, token = EXCLUDED.token WHERE doc.token < EXCLUDED.token").RunWith(db).ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func UpsertLeft(ctx context.Context, session *concurrency.Session, db *sql.DB, body string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := squirrel.Insert("doc").Columns("id", "body", "token").Values(1, body, token).Suffix("ON CONFLICT (id) DO UPDATE SET body = EXCLUDED.body WHERE doc.token < EXCLUDED.token").RunWith(db).ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}
