package bun

import (
	"context"

	"github.com/uptrace/bun"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func Grouped(ctx context.Context, session *concurrency.Session, db *bun.DB, body string, version int64, narrow func(*bun.UpdateQuery) *bun.UpdateQuery) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.NewUpdate().Model((*doc)(nil)).Set("body = ?", body).Set("token = ?", token).Where("id = 1").WhereGroup(" AND ", func(q *bun.UpdateQuery) *bun.UpdateQuery { return q.Where("token < ?", token).WhereOr("token IS NULL") }).Exec(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: token
func GroupedInSteps(ctx context.Context, session *concurrency.Session, db *bun.DB, body string, version int64, narrow func(*bun.UpdateQuery) *bun.UpdateQuery) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.NewUpdate().Model((*doc)(nil)).Set("body = ?", body).Set("token = ?", token).Where("id = 1").WhereGroup(" AND ", func(q *bun.UpdateQuery) *bun.UpdateQuery {
		q.Where("token < ?", token)
		return q
	}).Exec(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func GroupedWithAnother(ctx context.Context, session *concurrency.Session, db *bun.DB, body string, version int64, narrow func(*bun.UpdateQuery) *bun.UpdateQuery) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.NewUpdate().Model((*doc)(nil)).Set("body = ?", body).Set("token = ?", token).Where("id = 1").WhereGroup(" AND ", func(q *bun.UpdateQuery) *bun.UpdateQuery { return q.Where("token < ?", token).WhereOr("body <> ?", "") }).Exec(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: token
func Applied(ctx context.Context, session *concurrency.Session, db *bun.DB, body string, version int64, narrow func(*bun.UpdateQuery) *bun.UpdateQuery) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.NewUpdate().Model((*doc)(nil)).Set("body = ?", body).Set("token = ?", token).Where("id = 1").Apply(func(q *bun.UpdateQuery) *bun.UpdateQuery { return q.Where("token < ?", token) }).Exec(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: token
func Record(ctx context.Context, session *concurrency.Session, db *bun.DB, body string, version int64, narrow func(*bun.UpdateQuery) *bun.UpdateQuery) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	d := &doc{ID: 1, Body: body, Token: token}
	res, err := db.NewUpdate().Model(d).Column("body", "token").WherePK().Where("token < ?", d.Token).Exec(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func RecordInPart(ctx context.Context, session *concurrency.Session, db *bun.DB, body string, version int64, narrow func(*bun.UpdateQuery) *bun.UpdateQuery) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	d := &doc{ID: 1, Body: body, Token: token}
	res, err := db.NewUpdate().Model(d).Column("body").WherePK().Where("token < ?", d.Token).Exec(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: token
func Upsert(ctx context.Context, session *concurrency.Session, db *bun.DB, body string, version int64, narrow func(*bun.UpdateQuery) *bun.UpdateQuery) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	d := &doc{ID: 1, Body: body, Token: token}
	res, err := db.NewInsert().Model(d).On("CONFLICT (id) DO UPDATE").Set("body = EXCLUDED.body").Set("token = EXCLUDED.token").Where("doc.token < EXCLUDED.token").Exec(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func UpsertLeft(ctx context.Context, session *concurrency.Session, db *bun.DB, body string, version int64, narrow func(*bun.UpdateQuery) *bun.UpdateQuery) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	d := &doc{ID: 1, Body: body, Token: token}
	res, err := db.NewInsert().Model(d).On("CONFLICT (id) DO UPDATE").Set("body = EXCLUDED.body").Where("doc.token < EXCLUDED.token").Exec(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}
