// sqlx: named parameters.
package sqlx

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"

	"github.com/jmoiron/sqlx"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, db *sqlx.DB, body, holder string, version int64, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.NamedExecContext(ctx, "UPDATE doc SET body = :body, token = :token WHERE id = 1 AND token < :token", doc{Body: body, Token: token})
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: owner
func OwnerFenced(ctx context.Context, db *sqlx.DB, body, holder string, version int64, text string) error {
	arg := map[string]any{"holder": holder, "body": body}
	res, err := db.NamedExecContext(ctx, "UPDATE lease SET holder = :holder, expires = now() + interval '1 minute' WHERE name = 'doc' AND expires < now()", arg)
	if err != nil {
		return err
	}
	if err := affected(res); err != nil {
		return err
	}
	res, err = db.NamedExecContext(ctx, "UPDATE doc SET body = :body WHERE id = 1 AND EXISTS (SELECT 1 FROM lease WHERE name = 'doc' AND holder = :holder FOR SHARE)", arg)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: version
func Version(ctx context.Context, session *concurrency.Session, db *sqlx.DB, body, holder string, version int64, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res, err := db.NamedExecContext(ctx, "UPDATE doc SET body = :body, version = version + 1 WHERE id = 1 AND version = :version", doc{Body: body, Version: version})
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, db *sqlx.DB, body, holder string, version int64, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res, err := db.NamedExecContext(ctx, "UPDATE doc SET body = :body WHERE id = 1", doc{Body: body})
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, db *sqlx.DB, body, holder string, version int64, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.NamedExecContext(ctx, "UPDATE doc SET body = :body, last_token = :last_token WHERE id = 1 AND last_token > :last_token", map[string]any{"body": body, "last_token": token})
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, db *sqlx.DB, body, holder string, version int64, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	res, err := db.NamedExecContext(ctx, "UPDATE doc SET body = :body, token = :token WHERE id = 1 AND token < :token", map[string]any{"body": body, "token": id})
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, db *sqlx.DB, body, holder string, version int64, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.NamedExecContext(ctx, "UPDATE doc SET body = :body WHERE id = 1 AND last_token < :last_token", map[string]any{"body": body, "last_token": token})
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, db *sqlx.DB, body, holder string, version int64, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	var last int64
	if err := db.GetContext(ctx, &last, "SELECT token FROM doc WHERE id = 1"); err != nil {
		return err
	}
	if last >= token {
		return errors.New("refused")
	}
	_, err := db.NamedExecContext(ctx, "UPDATE doc SET body = :body, token = :token WHERE id = 1", doc{Body: body, Token: token})
	return err
}

// cell: token, result dropped
func Dropped(ctx context.Context, session *concurrency.Session, db *sqlx.DB, body, holder string, version int64, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := db.NamedExecContext(ctx, "UPDATE doc SET body = :body, last_token = :last_token WHERE id = 1 AND last_token < :last_token", map[string]any{"body": body, "last_token": token})
	return err
}

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, db *sqlx.DB, body, holder string, version int64, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.NamedExecContext(ctx, text, doc{Body: body, Token: token})
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none
func AnotherName(ctx context.Context, session *concurrency.Session, db *sqlx.DB, body, holder string, version int64, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.NamedExecContext(ctx, "UPDATE doc SET body = :body, token = :version WHERE id = 1 AND token < :version", doc{Body: body, Token: token})
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
