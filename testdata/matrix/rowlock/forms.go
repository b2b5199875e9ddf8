package rowlock

import (
	"context"
	"database/sql"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func Nullable(ctx context.Context, session *concurrency.Session, db *sql.DB, body, text string) error {
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
	var last sql.NullInt64
	if err := tx.QueryRowContext(ctx, "SELECT token FROM doc WHERE id = 1 FOR UPDATE").Scan(&last); err != nil {
		return err
	}
	if last.Valid && last.Int64 >= token {
		return errors.New("refused")
	}
	if _, err := tx.ExecContext(ctx, "UPDATE doc SET body = ?, token = ? WHERE id = 1", body, token); err != nil {
		return err
	}
	return tx.Commit()
}

// cell: none, weakcondition
func NullableKept(ctx context.Context, session *concurrency.Session, db *sql.DB, body, text string) error {
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
	var last sql.NullInt64
	if err := tx.QueryRowContext(ctx, "SELECT token FROM doc WHERE id = 1 FOR UPDATE").Scan(&last); err != nil {
		return err
	}
	if last.Valid && last.Int64 >= token {
		return errors.New("refused")
	}
	if _, err := tx.ExecContext(ctx, "UPDATE doc SET body = ? WHERE id = 1", body); err != nil {
		return err
	}
	return tx.Commit()
}

// cell: token
func Serializable(ctx context.Context, session *concurrency.Session, db *sql.DB, body, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
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

// cell: none, weakcondition
func Repeatable(ctx context.Context, session *concurrency.Session, db *sql.DB, body, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
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

// cell: token
func Record(ctx context.Context, session *concurrency.Session, db *sql.DB, body, text string) error {
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
	d := new(record)
	if err := tx.QueryRowContext(ctx, "SELECT token, body FROM doc WHERE id = 1 FOR UPDATE").Scan(&d.token, &d.body); err != nil {
		return err
	}
	if d.token >= token {
		return errors.New("refused")
	}
	d.token, d.body = token, body
	if err := keep(ctx, tx, d); err != nil {
		return err
	}
	return tx.Commit()
}

// cell: none, weakcondition
func RecordLeft(ctx context.Context, session *concurrency.Session, db *sql.DB, body, text string) error {
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
	d := new(record)
	if err := tx.QueryRowContext(ctx, "SELECT token, body FROM doc WHERE id = 1 FOR UPDATE").Scan(&d.token, &d.body); err != nil {
		return err
	}
	if d.token >= token {
		return errors.New("refused")
	}
	d.body = body
	if err := keep(ctx, tx, d); err != nil {
		return err
	}
	return tx.Commit()
}

// cell: none, weakcondition
func RecordSometimes(ctx context.Context, session *concurrency.Session, db *sql.DB, body, text string) error {
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
	d := new(record)
	if err := tx.QueryRowContext(ctx, "SELECT token, body FROM doc WHERE id = 1 FOR UPDATE").Scan(&d.token, &d.body); err != nil {
		return err
	}
	if d.token >= token {
		return errors.New("refused")
	}
	if body != d.body {
		d.token = token
	}
	d.body = body
	if err := keep(ctx, tx, d); err != nil {
		return err
	}
	return tx.Commit()
}

type record struct {
	token int64
	body  string
}

func keep(ctx context.Context, tx *sql.Tx, d *record) error {
	_, err := tx.ExecContext(ctx, "UPDATE doc SET body = ?, token = ? WHERE id = 1", d.body, d.token)
	return err
}
