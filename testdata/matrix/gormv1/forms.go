package gormv1

import (
	"context"
	"errors"

	"github.com/jinzhu/gorm"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func Locked(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return db.Transaction(func(tx *gorm.DB) error {
		var d doc
		if err := tx.Set("gorm:query_option", "FOR UPDATE").First(&d, 1).Error; err != nil {
			return err
		}
		if d.Token >= token {
			return errors.New("refused")
		}
		d.Body, d.Token = body, token
		return tx.Save(&d).Error
	})
}

// cell: none, weakcondition
func LockedLeft(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return db.Transaction(func(tx *gorm.DB) error {
		var d doc
		if err := tx.Set("gorm:query_option", "FOR UPDATE").First(&d, 1).Error; err != nil {
			return err
		}
		if d.Token >= token {
			return errors.New("refused")
		}
		d.Body = body
		return tx.Save(&d).Error
	})
}

// cell: none, weakcondition
func ReadOnly(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return db.Transaction(func(tx *gorm.DB) error {
		var d doc
		if err := tx.First(&d, 1).Error; err != nil {
			return err
		}
		if d.Token >= token {
			return errors.New("refused")
		}
		d.Body, d.Token = body, token
		return tx.Save(&d).Error
	})
}

// cell: token
func Inserted(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return affected(db.Set("gorm:insert_option", "ON CONFLICT (id) DO UPDATE SET body = EXCLUDED.body, token = EXCLUDED.token WHERE docs.token < EXCLUDED.token").Create(&doc{ID: 1, Body: body, Token: token}))
}

// cell: none
func InsertedOver(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return affected(db.Set("gorm:insert_option", "ON CONFLICT (id) DO UPDATE SET body = EXCLUDED.body, token = EXCLUDED.token").Create(&doc{ID: 1, Body: body, Token: token}))
}
