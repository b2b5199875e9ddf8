package gorm

import (
	"context"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// cell: token
func Grouped(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return affected(db.WithContext(ctx).Model(&doc{}).Where("id = 1").Where(db.Where("token < ?", token).Or("token IS NULL")).Updates(map[string]any{"body": body, "token": token}))
}

// cell: none, weakcondition
func GroupedWithAnother(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return affected(db.WithContext(ctx).Model(&doc{}).Where("id = 1").Where(db.Where("token < ?", token).Or("body IS NOT NULL")).Updates(map[string]any{"body": body, "token": token}))
}

// cell: token
func Negated(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return affected(db.WithContext(ctx).Model(&doc{}).Where("id = 1").Not("token >= ?", token).Updates(map[string]any{"body": body, "token": token}))
}

// cell: none, weakcondition
func NegatedTwice(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return affected(db.WithContext(ctx).Model(&doc{}).Where("id = 1").Not("token < ?", token).Updates(map[string]any{"body": body, "token": token}))
}

// cell: token
func Expressions(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return affected(db.WithContext(ctx).Model(&doc{}).Where(clause.Eq{Column: "id", Value: 1}, clause.Lt{Column: "token", Value: token}).Updates(map[string]any{"body": body, "token": token}))
}

// cell: none, weakcondition
func ExpressionsTurned(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return affected(db.WithContext(ctx).Model(&doc{}).Where(clause.Eq{Column: "id", Value: 1}, clause.Gt{Column: "token", Value: token}).Updates(map[string]any{"body": body, "token": token}))
}

// cell: token
func Scoped(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return affected(db.WithContext(ctx).Model(&doc{}).Scopes(olderThan(token)).Where("id = 1").Updates(map[string]any{"body": body, "token": token}))
}

// cell: none
func ScopedOtherwise(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return affected(db.WithContext(ctx).Model(&doc{}).Scopes(visible).Where("id = 1").Updates(map[string]any{"body": body, "token": token}))
}

// cell: token
func Conflict(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return affected(db.WithContext(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "id"}},
		DoUpdates: clause.AssignmentColumns([]string{"body", "token"}),
		Where:     clause.Where{Exprs: []clause.Expression{clause.Lt{Column: clause.Column{Table: "docs", Name: "token"}, Value: token}}},
	}).Create(&doc{ID: 1, Body: body, Token: token}))
}

// cell: token
func ConflictExcluded(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return affected(db.WithContext(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "id"}},
		DoUpdates: clause.Assignments(map[string]any{"body": body, "token": token}),
		Where:     clause.Where{Exprs: []clause.Expression{clause.Expr{SQL: "docs.token < EXCLUDED.token"}}},
	}).Create(&doc{ID: 1, Body: body, Token: token}))
}

// cell: none, weakcondition
func ConflictLeft(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return affected(db.WithContext(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "id"}},
		DoUpdates: clause.AssignmentColumns([]string{"body"}),
		Where:     clause.Where{Exprs: []clause.Expression{clause.Lt{Column: clause.Column{Table: "docs", Name: "token"}, Value: token}}},
	}).Create(&doc{ID: 1, Body: body, Token: token}))
}

// cell: none, weakcondition
func ConflictTurned(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return affected(db.WithContext(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "id"}},
		DoUpdates: clause.AssignmentColumns([]string{"body", "token"}),
		Where:     clause.Where{Exprs: []clause.Expression{clause.Gt{Column: clause.Column{Table: "docs", Name: "token"}, Value: token}}},
	}).Create(&doc{ID: 1, Body: body, Token: token}))
}

// cell: token
func Generic(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := gorm.G[doc](db).Where("id = 1 AND token < ?", token).Updates(ctx, doc{Body: body, Token: token})
	if err == nil && n == 0 {
		err = errors.New("refused")
	}
	return err
}

// cell: token, result dropped
func GenericDropped(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := gorm.G[doc](db).Where("id = 1 AND token < ?", token).Updates(ctx, doc{Body: body, Token: token})
	return err
}

// cell: token
func Stamped(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return write(db, &mark{doc: doc{ID: 1, Body: body}}, token)
}

// cell: none, weakcondition
func Unstamped(ctx context.Context, session *concurrency.Session, db *gorm.DB, body, holder string, version int64, scope func(*gorm.DB) *gorm.DB) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return writeAsIs(db, &mark{doc: doc{ID: 1, Body: body}}, token)
}

func olderThan(token int64) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB { return db.Where("token < ?", token) }
}

func visible(db *gorm.DB) *gorm.DB { return db.Where("hidden = ?", false) }

// A mark is a doc that says itself where its token is.
type mark struct{ doc }

func (d *doc) mark(token int64) { d.Token = token }

type marked interface{ mark(int64) }

func write[T marked](db *gorm.DB, d T, token int64) error {
	d.mark(token)
	return affected(db.Model(d).Where("token < ?", token).Select("*").Updates(d))
}

func writeAsIs[T marked](db *gorm.DB, d T, token int64) error {
	return affected(db.Model(d).Where("token < ?", token).Select("*").Updates(d))
}
