// database/sql: prepared statements.
package prepared

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
	stmt, err := db.PrepareContext(ctx, "UPDATE doc SET body = ?, token = ? WHERE id = 1 AND token < ?")
	if err != nil {
		return err
	}
	defer stmt.Close()
	res, err := stmt.ExecContext(ctx, body, token, token)
	if err != nil {
		return err
	}
	return affected(res)
}

// no OwnerFenced: the statement is the one of sql

// cell: version
func Version(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	stmt, err := db.PrepareContext(ctx, "UPDATE doc SET body = ?, version = version + 1 WHERE id = 1 AND version = ?")
	if err != nil {
		return err
	}
	defer stmt.Close()
	res, err := stmt.ExecContext(ctx, body, version)
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
	stmt, err := db.PrepareContext(ctx, "UPDATE doc SET body = ? WHERE id = 1")
	if err != nil {
		return err
	}
	defer stmt.Close()
	res, err := stmt.ExecContext(ctx, body)
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
	stmt, err := db.PrepareContext(ctx, "UPDATE doc SET body = ?, token = ? WHERE id = 1 AND token > ?")
	if err != nil {
		return err
	}
	defer stmt.Close()
	res, err := stmt.ExecContext(ctx, body, token, token)
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
	stmt, err := db.PrepareContext(ctx, "UPDATE doc SET body = ?, token = ? WHERE id = 1 AND token < ?")
	if err != nil {
		return err
	}
	defer stmt.Close()
	res, err := stmt.ExecContext(ctx, body, id, id)
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
	stmt, err := db.PrepareContext(ctx, "UPDATE doc SET body = ? WHERE id = 1 AND token < ?")
	if err != nil {
		return err
	}
	defer stmt.Close()
	res, err := stmt.ExecContext(ctx, body, token)
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
	read, err := db.PrepareContext(ctx, "SELECT token FROM doc WHERE id = 1")
	if err != nil {
		return err
	}
	defer read.Close()
	var last int64
	if err := read.QueryRowContext(ctx).Scan(&last); err != nil {
		return err
	}
	if last >= token {
		return errors.New("refused")
	}
	stmt, err := db.PrepareContext(ctx, "UPDATE doc SET body = ?, token = ? WHERE id = 1")
	if err != nil {
		return err
	}
	defer stmt.Close()
	res, err := stmt.ExecContext(ctx, body, token)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: token, result dropped
func Dropped(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	stmt, err := db.PrepareContext(ctx, "UPDATE doc SET body = ?, token = ? WHERE id = 1 AND token < ?")
	if err != nil {
		return err
	}
	defer stmt.Close()
	_, err = stmt.ExecContext(ctx, body, token, token)
	return err
}

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, stmt *sql.Stmt, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := stmt.ExecContext(ctx, body, token)
	if err != nil {
		return err
	}
	return affected(res)
}

// cell: token
func InTransaction(ctx context.Context, session *concurrency.Session, db *sql.DB, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	stmt, err := db.PrepareContext(ctx, "UPDATE doc SET body = ?, token = ? WHERE id = 1 AND token < ?")
	if err != nil {
		return err
	}
	defer stmt.Close()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	res, err := tx.StmtContext(ctx, stmt).ExecContext(ctx, body, token, token)
	if err != nil {
		return err
	}
	if err := affected(res); err != nil {
		return err
	}
	return tx.Commit()
}

func affected(res sql.Result) error {
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		err = errors.New("refused")
	}
	return err
}
