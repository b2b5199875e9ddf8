// squirrel: the chain before Exec.
package squirrel

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"

	"github.com/Masterminds/squirrel"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, db *sql.DB, body string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := squirrel.Update("doc").Set("body", body).Set("token", token).Where("id = 1").Where(squirrel.Lt{"token": token}).RunWith(db).ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// no OwnerFenced: the statement is the one of sql

// cell: version
func Version(ctx context.Context, session *concurrency.Session, db *sql.DB, body string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res, err := squirrel.Update("doc").Set("body", body).Set("version", version+1).Where("id = 1").Where(squirrel.Eq{"version": version}).RunWith(db).ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, db *sql.DB, body string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res, err := squirrel.Update("doc").Set("body", body).Where("id = 1").RunWith(db).ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, db *sql.DB, body string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := squirrel.Update("doc").Set("body", body).Set("token", token).Where("id = 1").Where(squirrel.Gt{"token": token}).RunWith(db).ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, db *sql.DB, body string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	res, err := squirrel.Update("doc").Set("body", body).Set("token", id).Where("id = 1").Where(squirrel.Lt{"token": id}).RunWith(db).ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, db *sql.DB, body string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := squirrel.Update("doc").Set("body", body).Where("id = 1").Where("token < ?", token).RunWith(db).ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, db *sql.DB, body string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	var last int64
	if err := squirrel.Select("token").From("doc").Where("id = 1").RunWith(db).QueryRowContext(ctx).Scan(&last); err != nil {
		return err
	}
	if last >= token {
		return errors.New("refused")
	}
	_, err := squirrel.Update("doc").Set("body", body).Set("token", token).Where("id = 1").RunWith(db).ExecContext(ctx)
	return err
}

// cell: token, result dropped
func Dropped(ctx context.Context, session *concurrency.Session, db *sql.DB, body string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := squirrel.Update("doc").Set("body", body).Set("token", token).Where("id = 1").Where(squirrel.Lt{"token": token}).RunWith(db).ExecContext(ctx)
	return err
}

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, db *sql.DB, body string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	update := squirrel.Update("doc").Set("body", body).Set("token", token)
	if body != "" {
		update = update.Where("token < ?", token)
	}
	res, err := update.RunWith(db).ExecContext(ctx)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: token
func AsText(ctx context.Context, session *concurrency.Session, db *sql.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	text, args, err := squirrel.Update("doc").Set("body", body).Set("token", token).Where(squirrel.Lt{"token": token}).ToSql()
	if err != nil {
		return err
	}
	res, err := db.ExecContext(ctx, text, args...)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func AsTextWrongWay(ctx context.Context, session *concurrency.Session, db *sql.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	text, args, err := squirrel.Update("doc").Set("body", body).Set("token", token).Where(squirrel.Gt{"token": token}).ToSql()
	if err != nil {
		return err
	}
	res, err := db.ExecContext(ctx, text, args...)
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
