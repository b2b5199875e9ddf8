// database/sql: the text of the statement.
package sql

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.ExecContext(ctx, "UPDATE doc SET body = ?, token = ? WHERE id = 1 AND token < ?", body, token, token)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: owner
func OwnerFenced(ctx context.Context, db *sql.DB, body, holder string, version int64) error {
	res, err := db.ExecContext(ctx, "UPDATE lease SET holder = ?, expires = now() + interval '1 minute' WHERE name = 'doc' AND expires < now()", holder)
	if err != nil {
		return err
	}
	if err := affected(res); err != nil {
		return err
	}
	res, err = db.ExecContext(ctx, "UPDATE doc SET body = ? WHERE id = 1 AND EXISTS (SELECT 1 FROM lease WHERE name = 'doc' AND holder = ? FOR SHARE)", body, holder)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: version
func Version(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res, err := db.ExecContext(ctx, "UPDATE doc SET body = ?, version = version + 1 WHERE id = 1 AND version = ?", body, version)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res, err := db.ExecContext(ctx, "UPDATE doc SET body = ? WHERE id = 1", body)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.ExecContext(ctx, "UPDATE doc SET body = ?, token = ? WHERE id = 1 AND token > ?", body, token, token)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	res, err := db.ExecContext(ctx, "UPDATE doc SET body = ?, token = ? WHERE id = 1 AND token < ?", body, id, id)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.ExecContext(ctx, "UPDATE doc SET body = ? WHERE id = 1 AND token < ?", body, token)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	var last int64
	if err := db.QueryRowContext(ctx, "SELECT token FROM doc WHERE id = 1").Scan(&last); err != nil {
		return err
	}
	if last >= token {
		return errors.New("refused")
	}
	_, err := db.ExecContext(ctx, "UPDATE doc SET body = ?, token = ? WHERE id = 1", body, token)
	return err
}

// cell: token, result dropped
func Dropped(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := db.ExecContext(ctx, "UPDATE doc SET body = ?, token = ? WHERE id = 1 AND token < ?", body, token, token)
	return err
}

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := db.ExecContext(ctx, "CALL save_doc(?, ?)", body, token)
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
