// bun: the chain before Exec.
package bun

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, db *bun.DB, body string, version int64, narrow func(*bun.UpdateQuery) *bun.UpdateQuery) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.NewUpdate().Model((*doc)(nil)).Set("body = ?", body).Set("token = ?", token).Where("id = 1").Where("token < ?", token).Exec(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// no OwnerFenced: the statement is the one of sql

// cell: version
func Version(ctx context.Context, session *concurrency.Session, db *bun.DB, body string, version int64, narrow func(*bun.UpdateQuery) *bun.UpdateQuery) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res, err := db.NewUpdate().Model((*doc)(nil)).Set("body = ?", body).Set("version = version + 1").Where("id = 1").Where("version = ?", version).Exec(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, db *bun.DB, body string, version int64, narrow func(*bun.UpdateQuery) *bun.UpdateQuery) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res, err := db.NewUpdate().Model((*doc)(nil)).Set("body = ?", body).Where("id = 1").Exec(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, db *bun.DB, body string, version int64, narrow func(*bun.UpdateQuery) *bun.UpdateQuery) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.NewUpdate().Model((*doc)(nil)).Set("body = ?", body).Set("token = ?", token).Where("id = 1").Where("token > ?", token).Exec(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, db *bun.DB, body string, version int64, narrow func(*bun.UpdateQuery) *bun.UpdateQuery) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	res, err := db.NewUpdate().Model((*doc)(nil)).Set("body = ?", body).Set("token = ?", id).Where("id = 1").Where("token < ?", id).Exec(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, db *bun.DB, body string, version int64, narrow func(*bun.UpdateQuery) *bun.UpdateQuery) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.NewUpdate().Model((*doc)(nil)).Set("body = ?", body).Where("id = 1").Where("token < ?", token).Exec(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, db *bun.DB, body string, version int64, narrow func(*bun.UpdateQuery) *bun.UpdateQuery) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	var last int64
	if err := db.NewSelect().Model((*doc)(nil)).Column("token").Where("id = 1").Scan(ctx, &last); err != nil {
		return err
	}
	if last >= token {
		return errors.New("refused")
	}
	_, err := db.NewUpdate().Model((*doc)(nil)).Set("body = ?", body).Set("token = ?", token).Where("id = 1").Exec(ctx)
	return err
}

// cell: token, result dropped
func Dropped(ctx context.Context, session *concurrency.Session, db *bun.DB, body string, version int64, narrow func(*bun.UpdateQuery) *bun.UpdateQuery) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := db.NewUpdate().Model((*doc)(nil)).Set("body = ?", body).Set("token = ?", token).Where("id = 1").Where("token < ?", token).Exec(ctx)
	return err
}

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, db *bun.DB, body string, version int64, narrow func(*bun.UpdateQuery) *bun.UpdateQuery) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.NewUpdate().Model((*doc)(nil)).Set("body = ?", body).Set("token = ?", token).Apply(narrow).Exec(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

func affected(res sql.Result) error {
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		err = errors.New("refused")
	}
	return err
}

type doc struct {
	ID             int64
	Body           string
	Token, Version int64
}

// cell: token
func InSteps(ctx context.Context, session *concurrency.Session, db *bun.DB, body *string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	update := db.NewUpdate().Model((*doc)(nil)).Where("id = 1")
	update.Where("token < ?", token)
	if body != nil {
		update = update.Set("body = ?", *body)
	}
	res, err := update.Set("token = ?", token).Exec(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: unknown
func InStepsPerhaps(ctx context.Context, session *concurrency.Session, db *bun.DB, strict bool, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	update := db.NewUpdate().Model((*doc)(nil)).Set("body = ?", body).Set("token = ?", token).Where("id = 1")
	if strict {
		update.Where("token < ?", token)
	}
	res, err := update.Exec(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}
