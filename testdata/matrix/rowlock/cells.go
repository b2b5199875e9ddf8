// database/sql: a row that is read FOR UPDATE.
package rowlock

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, db *sql.DB, body, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var last int64
	if err := tx.QueryRowContext(ctx, "SELECT token FROM doc WHERE id = 1 FOR UPDATE").Scan(&last); err != nil {
		return err
	}
	if last >= token {
		return errors.New("refused")
	}
	if _, err := tx.ExecContext(ctx, "UPDATE doc SET body = ?, token = ? WHERE id = 1", body, token); err != nil {
		return err
	}
	return tx.Commit()
}

// no OwnerFenced: the statement is the one of sql

// cell: transaction
func Version(ctx context.Context, session *concurrency.Session, db *sql.DB, body string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var last int64
	if err := tx.QueryRowContext(ctx, "SELECT version FROM doc WHERE id = 1 FOR UPDATE").Scan(&last); err != nil {
		return err
	}
	if last != version {
		return errors.New("refused")
	}
	if _, err := tx.ExecContext(ctx, "UPDATE doc SET body = ?, version = version + 1 WHERE id = 1", body); err != nil {
		return err
	}
	return tx.Commit()
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, db *sql.DB, body, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var last int64
	if err := tx.QueryRowContext(ctx, "SELECT size FROM other WHERE id = 1 FOR UPDATE").Scan(&last); err != nil {
		return err
	}
	if last == 0 {
		return errors.New("refused")
	}
	if _, err := tx.ExecContext(ctx, "UPDATE doc SET body = ? WHERE id = 1", body); err != nil {
		return err
	}
	return tx.Commit()
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, db *sql.DB, body, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var last int64
	if err := tx.QueryRowContext(ctx, "SELECT token FROM doc WHERE id = 1 FOR UPDATE").Scan(&last); err != nil {
		return err
	}
	if last <= token {
		return errors.New("refused")
	}
	if _, err := tx.ExecContext(ctx, "UPDATE doc SET body = ?, token = ? WHERE id = 1", body, token); err != nil {
		return err
	}
	return tx.Commit()
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, db *sql.DB, body, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var last string
	if err := tx.QueryRowContext(ctx, "SELECT token FROM doc WHERE id = 1 FOR UPDATE").Scan(&last); err != nil {
		return err
	}
	if last >= id {
		return errors.New("refused")
	}
	if _, err := tx.ExecContext(ctx, "UPDATE doc SET body = ?, token = ? WHERE id = 1", body, id); err != nil {
		return err
	}
	return tx.Commit()
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, db *sql.DB, body, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var last int64
	if err := tx.QueryRowContext(ctx, "SELECT token FROM doc WHERE id = 1 FOR UPDATE").Scan(&last); err != nil {
		return err
	}
	if last >= token {
		return errors.New("refused")
	}
	if _, err := tx.ExecContext(ctx, "UPDATE doc SET body = ? WHERE id = 1", body); err != nil {
		return err
	}
	return tx.Commit()
}

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, db *sql.DB, body, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var last int64
	if err := tx.QueryRowContext(ctx, "SELECT token FROM doc WHERE id = 1").Scan(&last); err != nil {
		return err
	}
	if last >= token {
		return errors.New("refused")
	}
	if _, err := tx.ExecContext(ctx, "UPDATE doc SET body = ?, token = ? WHERE id = 1", body, token); err != nil {
		return err
	}
	return tx.Commit()
}

// no Dropped: the program itself refuses

// no Unknown: a read that is out of sight is none that decides

// cell: none, weakcondition
func Outside(ctx context.Context, session *concurrency.Session, db *sql.DB, body, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var last int64
	if err := tx.QueryRowContext(ctx, "SELECT token FROM doc WHERE id = 1 FOR UPDATE").Scan(&last); err != nil {
		return err
	}
	if last >= token {
		return errors.New("refused")
	}
	_, err = db.ExecContext(ctx, "UPDATE doc SET body = ?, token = ? WHERE id = 1", body, token)
	return err
}
