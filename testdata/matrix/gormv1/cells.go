// gorm v1: the chain before Updates.
package gormv1

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/jinzhu/gorm"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res := db.Model(&doc{}).Where("id = 1 AND token < ?", token).Updates(map[string]interface{}{"body": body, "token": token})
	return affected(res)
}

// cell: owner
func OwnerFenced(ctx context.Context, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	res := db.Model(&docLease{}).Where("name = ? AND expires_at < now()", "doc").Updates(map[string]interface{}{"holder": holder, "expires_at": gorm.Expr("now() + interval '1 minute'")})
	if err := affected(res); err != nil {
		return err
	}
	res = db.Model(&docLease{}).Where("name = ? AND holder = ?", "doc", holder).Updates(map[string]interface{}{"result": body})
	return affected(res)
}

// cell: version
func Version(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res := db.Model(&doc{}).Where("id = 1 AND version = ?", version).Updates(map[string]interface{}{"body": body, "version": version + 1})
	return affected(res)
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res := db.Model(&doc{}).Where("id = 1").Updates(map[string]interface{}{"body": body})
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
	res := db.Model(&doc{}).Where("id = 1 AND token > ?", token).Updates(map[string]interface{}{"body": body, "token": token})
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
	res := db.Model(&doc{}).Where("id = 1 AND token < ?", id).Updates(map[string]interface{}{"body": body, "token": id})
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
	res := db.Model(&doc{}).Where("id = 1 AND token < ?", token).Updates(map[string]interface{}{"body": body})
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
	if err := db.First(&d, 1).Error; err != nil {
		return err
	}
	if d.Token >= token {
		return errors.New("refused")
	}
	return db.Model(&doc{}).Where("id = 1").Updates(map[string]interface{}{"body": body, "token": token}).Error
}

// cell: token, result dropped
func Dropped(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return db.Model(&doc{}).Where("id = 1 AND token < ?", token).Updates(map[string]interface{}{"body": body, "token": token}).Error
}

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res := db.Model(&doc{}).Scopes(scope).Updates(map[string]interface{}{"body": body, "token": token})
	return affected(res)
}

// cell: none, weakcondition
func SaveAfterWhere(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res := db.Where("token < ?", token).Save(&doc{ID: 1, Body: body, Token: token})
	return affected(res)
}

// cell: none, weakcondition
func LeftOut(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res := db.Model(&doc{}).Where("id = 1 AND token < ?", token).Select("body").Updates(map[string]interface{}{"body": body, "token": token})
	return affected(res)
}

// cell: none, weakcondition
func Omitted(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res := db.Model(&doc{}).Where("id = 1 AND token < ?", token).Omit("token").Updates(map[string]interface{}{"body": body, "token": token})
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
