// xorm: the session before Update.
package xorm

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"go.etcd.io/etcd/client/v3/concurrency"
	"xorm.io/builder"
	"xorm.io/xorm"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, db *xorm.Engine, body, holder string, version int64, condition builder.Cond) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := db.Table(new(doc)).Where("id = 1 AND token < ?", token).Cols("body", "token").Update(&doc{Body: body, Token: token})
	return affected(n, err)
}

// cell: owner
func OwnerFenced(ctx context.Context, db *xorm.Engine, body, holder string, version int64, condition builder.Cond) error {
	n, err := db.Table(new(lease)).Where("name = ? AND expires_at < now()", "doc").Update(map[string]any{"holder": holder, "expires_at": time.Now().Add(time.Minute)})
	if err := affected(n, err); err != nil {
		return err
	}
	n, err = db.Table(new(lease)).Where("name = ? AND holder = ?", "doc", holder).Update(map[string]any{"result": body})
	return affected(n, err)
}

// cell: version
func Version(ctx context.Context, session *concurrency.Session, db *xorm.Engine, body, holder string, version int64, condition builder.Cond) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	n, err := db.Table(new(doc)).Where("id = 1 AND version = ?", version).Cols("body", "version").Update(&doc{Body: body, Version: version + 1})
	return affected(n, err)
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, db *xorm.Engine, body, holder string, version int64, condition builder.Cond) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	n, err := db.Table(new(doc)).Where("id = 1").Cols("body").Update(&doc{Body: body})
	return affected(n, err)
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, db *xorm.Engine, body, holder string, version int64, condition builder.Cond) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := db.Table(new(doc)).Where("id = 1 AND token > ?", token).Cols("body", "token").Update(&doc{Body: body, Token: token})
	return affected(n, err)
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, db *xorm.Engine, body, holder string, version int64, condition builder.Cond) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	n, err := db.Table("doc").Where("id = 1 AND token < ?", id).Update(map[string]any{"body": body, "token": id})
	return affected(n, err)
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, db *xorm.Engine, body, holder string, version int64, condition builder.Cond) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := db.Table(new(doc)).Where("id = 1 AND token < ?", token).Cols("body").Update(&doc{Body: body})
	return affected(n, err)
}

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, db *xorm.Engine, body, holder string, version int64, condition builder.Cond) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	var d doc
	if _, err := db.ID(1).Get(&d); err != nil {
		return err
	}
	if d.Token >= token {
		return errors.New("refused")
	}
	_, err := db.ID(1).Cols("body", "token").Update(&doc{Body: body, Token: token})
	return err
}

// cell: token, result dropped
func Dropped(ctx context.Context, session *concurrency.Session, db *xorm.Engine, body, holder string, version int64, condition builder.Cond) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := db.Table(new(doc)).Where("id = 1 AND token < ?", token).Cols("body", "token").Update(&doc{Body: body, Token: token})
	return err
}

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, db *xorm.Engine, body, holder string, version int64, condition builder.Cond) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := db.Table(new(doc)).Where(condition).Cols("body", "token").Update(&doc{Body: body, Token: token})
	return affected(n, err)
}

// cell: none, weakcondition
func OtherWay(ctx context.Context, session *concurrency.Session, db *xorm.Engine, body, holder string, version int64, condition builder.Cond) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := db.Table(new(doc)).Where("token < ?", token).Or("id = 1").Cols("body", "token").Update(&doc{Body: body, Token: token})
	return affected(n, err)
}

// cell: none, weakcondition
func LeftOut(ctx context.Context, session *concurrency.Session, db *xorm.Engine, body, holder string, version int64, condition builder.Cond) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := db.Table(new(doc)).Where("id = 1 AND token < ?", token).Cols("body").Update(&doc{Body: body, Token: token})
	return affected(n, err)
}

// cell: token
func ByMap(ctx context.Context, session *concurrency.Session, db *xorm.Engine, body, holder string, version int64, condition builder.Cond) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := db.Table(new(doc)).Where(builder.Lt{"token": token}).Cols("body", "token").Update(&doc{Body: body, Token: token})
	return affected(n, err)
}

func affected(n int64, err error) error {
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

type lease struct{ Name, Holder, Result string }

// cell: token
func InSteps(ctx context.Context, session *concurrency.Session, db *xorm.Engine, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	update := db.Table(new(doc)).Where("id = 1").Cols("body", "token")
	update.And("token < ?", token)
	n, err := update.Update(&doc{Body: body, Token: token})
	return affected(n, err)
}

// note is a model whose version xorm looks after.
type note struct {
	ID      int64
	Body    string
	Version int `xorm:"version"`
}

// cell: version
func ByTag(ctx context.Context, session *concurrency.Session, db *xorm.Engine, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	var n note
	if _, err := db.ID(1).Get(&n); err != nil {
		return err
	}
	n.Body = body
	rows, err := db.ID(1).Update(&n)
	return affected(rows, err)
}

// cell: none
func ByTagUnasked(ctx context.Context, session *concurrency.Session, db *xorm.Engine, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	var n note
	if _, err := db.ID(1).Get(&n); err != nil {
		return err
	}
	n.Body = body
	rows, err := db.Where("id = ?", 1).NoVersionCheck().Update(&n)
	return affected(rows, err)
}
