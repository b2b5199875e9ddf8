// pgx: the text of the statement, the command tag.
package pgx

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, db *pgxpool.Pool, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.Exec(ctx, "UPDATE doc SET body = $1, token = $2 WHERE id = 1 AND token < $3", body, token, token)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: owner
func OwnerFenced(ctx context.Context, db *pgxpool.Pool, body, holder string, version int64) error {
	tag, err := db.Exec(ctx, "UPDATE lease SET holder = $1, expires = now() + interval '1 minute' WHERE name = 'doc' AND expires < now()", holder)
	if err != nil {
		return err
	}
	if err := affected(tag); err != nil {
		return err
	}
	tag, err = db.Exec(ctx, "UPDATE lease SET result = $1 WHERE name = 'doc' AND holder = $2", body, holder)
	if err != nil {
		return err
	}
	return affected(tag)
}

// cell: version
func Version(ctx context.Context, session *concurrency.Session, db *pgxpool.Pool, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res, err := db.Exec(ctx, "UPDATE doc SET body = $1, version = version + 1 WHERE id = 1 AND version = $2", body, version)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, db *pgxpool.Pool, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res, err := db.Exec(ctx, "UPDATE doc SET body = $1 WHERE id = 1", body)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, db *pgxpool.Pool, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.Exec(ctx, "UPDATE doc SET body = $1, token = $2 WHERE id = 1 AND token > $3", body, token, token)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, db *pgxpool.Pool, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	res, err := db.Exec(ctx, "UPDATE doc SET body = $1, token = $2 WHERE id = 1 AND token < $3", body, id, id)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, db *pgxpool.Pool, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.Exec(ctx, "UPDATE doc SET body = $1 WHERE id = 1 AND token < $2", body, token)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, db *pgxpool.Pool, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	var last int64
	if err := db.QueryRow(ctx, "SELECT token FROM doc WHERE id = 1").Scan(&last); err != nil {
		return err
	}
	if last >= token {
		return errors.New("refused")
	}
	_, err := db.Exec(ctx, "UPDATE doc SET body = $1, token = $2 WHERE id = 1", body, token)
	return err
}

// cell: token, result dropped
func Dropped(ctx context.Context, session *concurrency.Session, db *pgxpool.Pool, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := db.Exec(ctx, "UPDATE doc SET body = $1, token = $2 WHERE id = 1 AND token < $3", body, token, token)
	return err
}

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, db *pgxpool.Pool, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.Exec(ctx, "CALL save_doc($1, $2)", body, token)
	if err != nil {
		return err
	}
	return affected(res)
}

func affected(tag pgconn.CommandTag) error {
	if tag.RowsAffected() == 0 {
		return errors.New("refused")
	}
	return nil
}
