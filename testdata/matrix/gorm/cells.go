// gorm: the chain before Updates.
package gorm

import (
	"context"
	"crypto/rand"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
	"gorm.io/gorm"
	"gorm.io/plugin/optimisticlock"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res := db.WithContext(ctx).Model(&doc{}).Where("id = 1 AND token < ?", token).Updates(map[string]any{"body": body, "token": token})
	return affected(res)
}

// cell: owner
func OwnerFenced(ctx context.Context, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	res := db.WithContext(ctx).Model(&docLease{}).Where("name = ? AND expires_at < now()", "doc").Updates(map[string]any{"holder": holder, "expires_at": gorm.Expr("now() + interval '1 minute'")})
	if err := affected(res); err != nil {
		return err
	}
	res = db.WithContext(ctx).Model(&docLease{}).Where("name = ? AND holder = ?", "doc", holder).Updates(map[string]any{"result": body})
	return affected(res)
}

// cell: version
func Version(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res := db.WithContext(ctx).Model(&doc{}).Where("id = 1 AND version = ?", version).Updates(map[string]any{"body": body, "version": version + 1})
	return affected(res)
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res := db.WithContext(ctx).Model(&doc{}).Where("id = 1").Updates(map[string]any{"body": body})
	return affected(res)
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res := db.WithContext(ctx).Model(&doc{}).Where("id = 1 AND token > ?", token).Updates(map[string]any{"body": body, "token": token})
	return affected(res)
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	res := db.WithContext(ctx).Model(&doc{}).Where("id = 1 AND token < ?", id).Updates(map[string]any{"body": body, "token": id})
	return affected(res)
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res := db.WithContext(ctx).Model(&doc{}).Where("id = 1 AND token < ?", token).Updates(map[string]any{"body": body})
	return affected(res)
}

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	var d doc
	if err := db.WithContext(ctx).First(&d, 1).Error; err != nil {
		return err
	}
	if d.Token >= token {
		return errors.New("refused")
	}
	return db.WithContext(ctx).Model(&doc{}).Where("id = 1").Updates(map[string]any{"body": body, "token": token}).Error
}

// cell: token, result dropped
func Dropped(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return db.WithContext(ctx).Model(&doc{}).Where("id = 1 AND token < ?", token).Updates(map[string]any{"body": body, "token": token}).Error
}

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res := db.WithContext(ctx).Model(&doc{}).Scopes(scope).Updates(map[string]any{"body": body, "token": token})
	return affected(res)
}

type doc struct {
	ID             int64
	Body           string
	Token, Version int64
}

type docLease struct{ Name, Holder, Result string }

func affected(res *gorm.DB) error {
	if res.Error == nil && res.RowsAffected == 0 {
		return errors.New("refused")
	}
	return res.Error
}

// note is a model that the plugin for optimistic locking looks after.
type note struct {
	ID      int
	Body    string
	Version optimisticlock.Version
}

// cell: version
func ByPlugin(ctx context.Context, session *concurrency.Session, db *gorm.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	var n note
	if err := db.WithContext(ctx).First(&n, 1).Error; err != nil {
		return err
	}
	return affected(db.WithContext(ctx).Model(&n).Updates(map[string]any{"body": body}))
}

// cell: none
func ByPluginUnread(ctx context.Context, session *concurrency.Session, db *gorm.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return affected(db.WithContext(ctx).Model(&note{ID: 1}).Updates(map[string]any{"body": body}))
}
