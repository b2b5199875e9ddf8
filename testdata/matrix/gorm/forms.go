package gorm

import (
	"context"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
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
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).First(&d, 1).Error; err != nil {
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
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).First(&d, 1).Error; err != nil {
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
