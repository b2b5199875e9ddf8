// goqu: the dataset before its Executor.
package goqu

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"

	"github.com/doug-martin/goqu/v9"
	"github.com/doug-martin/goqu/v9/exp"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, db *goqu.Database, body, holder string, version int64, condition exp.Expression) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.Update("doc").Set(goqu.Record{"body": body, "token": token}).Where(goqu.C("id").Eq(1), goqu.C("token").Lt(token)).Executor().ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: owner
func OwnerFenced(ctx context.Context, db *goqu.Database, body, holder string, version int64, condition exp.Expression) error {
	res, err := db.Update("lease").Set(goqu.Record{"holder": holder, "expires_at": goqu.L("now() + interval '1 minute'")}).Where(goqu.C("name").Eq("doc"), goqu.L("expires_at < now()")).Executor().ExecContext(ctx)
	if err != nil {
		return err
	}
	if err := affected(res); err != nil {
		return err
	}
	res, err = db.Update("lease").Set(goqu.Record{"result": body}).Where(goqu.C("name").Eq("doc"), goqu.C("holder").Eq(holder)).Executor().ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: version
func Version(ctx context.Context, session *concurrency.Session, db *goqu.Database, body, holder string, version int64, condition exp.Expression) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res, err := db.Update("doc").Set(goqu.Record{"body": body, "version": version + 1}).Where(goqu.Ex{"id": 1, "version": version}).Executor().ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, db *goqu.Database, body, holder string, version int64, condition exp.Expression) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res, err := db.Update("doc").Set(goqu.Record{"body": body}).Where(goqu.C("id").Eq(1)).Executor().ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, db *goqu.Database, body, holder string, version int64, condition exp.Expression) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.Update("doc").Set(goqu.Record{"body": body, "token": token}).Where(goqu.C("id").Eq(1), goqu.C("token").Gt(token)).Executor().ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, db *goqu.Database, body, holder string, version int64, condition exp.Expression) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	res, err := db.Update("doc").Set(goqu.Record{"body": body, "token": id}).Where(goqu.C("id").Eq(1), goqu.C("token").Lt(id)).Executor().ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, db *goqu.Database, body, holder string, version int64, condition exp.Expression) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.Update("doc").Set(goqu.Record{"body": body}).Where(goqu.C("id").Eq(1), goqu.C("token").Lt(token)).Executor().ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, db *goqu.Database, body, holder string, version int64, condition exp.Expression) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	var last int64
	if _, err := db.From("doc").Select("token").Where(goqu.C("id").Eq(1)).ScanValContext(ctx, &last); err != nil {
		return err
	}
	if last >= token {
		return errors.New("refused")
	}
	_, err := db.Update("doc").Set(goqu.Record{"body": body, "token": token}).Where(goqu.C("id").Eq(1)).Executor().ExecContext(ctx)
	return err
}

// cell: token, result dropped
func Dropped(ctx context.Context, session *concurrency.Session, db *goqu.Database, body, holder string, version int64, condition exp.Expression) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := db.Update("doc").Set(goqu.Record{"body": body, "token": token}).Where(goqu.C("id").Eq(1), goqu.C("token").Lt(token)).Executor().ExecContext(ctx)
	return err
}

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, db *goqu.Database, body, holder string, version int64, condition exp.Expression) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.Update("doc").Set(goqu.Record{"body": body, "token": token}).Where(goqu.C("id").Eq(1), condition).Executor().ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func EitherWay(ctx context.Context, session *concurrency.Session, db *goqu.Database, body, holder string, version int64, condition exp.Expression) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.Update("doc").Set(goqu.Record{"body": body, "token": token}).Where(goqu.Or(goqu.C("token").Lt(token), goqu.C("id").Eq(1))).Executor().ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func AnyOf(ctx context.Context, session *concurrency.Session, db *goqu.Database, body, holder string, version int64, condition exp.Expression) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.Update("doc").Set(goqu.Record{"body": body, "token": token}).Where(goqu.ExOr{"id": 1, "token": goqu.Op{"lt": token}}).Executor().ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: token
func AllOf(ctx context.Context, session *concurrency.Session, db *goqu.Database, body, holder string, version int64, condition exp.Expression) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.Update("doc").Set(goqu.Record{"body": body, "token": token}).Where(goqu.And(goqu.C("id").Eq(1), goqu.Or(goqu.C("token").IsNull(), goqu.C("token").Lt(token)))).Executor().ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: token
func ByMap(ctx context.Context, session *concurrency.Session, db *goqu.Database, body, holder string, version int64, condition exp.Expression) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.Update("doc").Set(goqu.Record{"body": body, "token": token}).Where(goqu.Ex{"id": 1, "token": goqu.Op{"lt": token}}).Executor().ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: token
func AsText(ctx context.Context, session *concurrency.Session, db *goqu.Database, plain *sql.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	text, args, err := db.Update("doc").Set(goqu.Record{"body": body, "token": token}).Where(goqu.C("id").Eq(1), goqu.C("token").Lt(token)).ToSQL()
	if err != nil {
		return err
	}
	res, err := plain.ExecContext(ctx, text, args...)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: unknown
func AsTextCleared(ctx context.Context, session *concurrency.Session, db *goqu.Database, plain *sql.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	text, args, err := db.Update("doc").Set(goqu.Record{"body": body, "token": token}).Where(goqu.C("id").Eq(1), goqu.C("token").Lt(token)).ClearWhere().ToSQL()
	if err != nil {
		return err
	}
	res, err := plain.ExecContext(ctx, text, args...)
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
