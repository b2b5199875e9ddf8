package goqu

import (
	"context"

	"github.com/doug-martin/goqu/v9"
	"github.com/doug-martin/goqu/v9/exp"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func Upsert(ctx context.Context, session *concurrency.Session, db *goqu.Database, body, holder string, version int64, condition exp.Expression) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.Insert("doc").Rows(goqu.Record{"id": 1, "body": body, "token": token}).OnConflict(goqu.DoUpdate("id", goqu.Record{"body": body, "token": token}).Where(goqu.T("doc").Col("token").Lt(token))).Executor().ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func UpsertLeft(ctx context.Context, session *concurrency.Session, db *goqu.Database, body, holder string, version int64, condition exp.Expression) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.Insert("doc").Rows(goqu.Record{"id": 1, "body": body, "token": token}).OnConflict(goqu.DoUpdate("id", goqu.Record{"body": body}).Where(goqu.T("doc").Col("token").Lt(token))).Executor().ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none
func UpsertOver(ctx context.Context, session *concurrency.Session, db *goqu.Database, body, holder string, version int64, condition exp.Expression) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.Insert("doc").Rows(goqu.Record{"id": 1, "body": body, "token": token}).OnConflict(goqu.DoUpdate("id", goqu.Record{"body": body, "token": token})).Executor().ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}
