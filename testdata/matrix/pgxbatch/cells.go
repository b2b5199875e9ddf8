// pgx: the statements of a batch.
package pgxbatch

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/jackc/pgx/v5"
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
	b := &pgx.Batch{}
	b.Queue("UPDATE doc SET body = $1, token = $2 WHERE id = 1 AND token < $2", body, token)
	res := db.SendBatch(ctx, b)
	defer res.Close()
	tag, err := res.Exec()
	if err == nil && tag.RowsAffected() == 0 {
		err = errors.New("refused")
	}
	return err
}

// no OwnerFenced: the statement is the one of sql

// cell: version
func Version(ctx context.Context, session *concurrency.Session, db *pgxpool.Pool, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	b := &pgx.Batch{}
	b.Queue("UPDATE doc SET body = $1, version = version + 1 WHERE id = 1 AND version = $2", body, version)
	res := db.SendBatch(ctx, b)
	defer res.Close()
	tag, err := res.Exec()
	if err == nil && tag.RowsAffected() == 0 {
		err = errors.New("refused")
	}
	return err
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, db *pgxpool.Pool, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	b := &pgx.Batch{}
	b.Queue("UPDATE doc SET body = $1 WHERE id = 1", body)
	res := db.SendBatch(ctx, b)
	defer res.Close()
	tag, err := res.Exec()
	if err == nil && tag.RowsAffected() == 0 {
		err = errors.New("refused")
	}
	return err
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, db *pgxpool.Pool, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	b := &pgx.Batch{}
	b.Queue("UPDATE doc SET body = $1, token = $2 WHERE id = 1 AND token > $2", body, token)
	res := db.SendBatch(ctx, b)
	defer res.Close()
	tag, err := res.Exec()
	if err == nil && tag.RowsAffected() == 0 {
		err = errors.New("refused")
	}
	return err
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, db *pgxpool.Pool, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	b := &pgx.Batch{}
	b.Queue("UPDATE doc SET body = $1, token = $2 WHERE id = 1 AND token < $2", body, id)
	res := db.SendBatch(ctx, b)
	defer res.Close()
	tag, err := res.Exec()
	if err == nil && tag.RowsAffected() == 0 {
		err = errors.New("refused")
	}
	return err
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, db *pgxpool.Pool, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	b := &pgx.Batch{}
	b.Queue("UPDATE doc SET body = $1 WHERE id = 1 AND token < $2", body, token)
	res := db.SendBatch(ctx, b)
	defer res.Close()
	tag, err := res.Exec()
	if err == nil && tag.RowsAffected() == 0 {
		err = errors.New("refused")
	}
	return err
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
	b := &pgx.Batch{}
	b.Queue("UPDATE doc SET body = $1, token = $2 WHERE id = 1", body, token)
	return db.SendBatch(ctx, b).Close()
}

// cell: token, result dropped
func Dropped(ctx context.Context, session *concurrency.Session, db *pgxpool.Pool, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	b := &pgx.Batch{}
	b.Queue("UPDATE doc SET body = $1, token = $2 WHERE id = 1 AND token < $2", body, token)
	return db.SendBatch(ctx, b).Close()
}

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, db *pgxpool.Pool, b *pgx.Batch) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return db.SendBatch(ctx, b).Close()
}

// cell: none
func OneOfTwo(ctx context.Context, session *concurrency.Session, db *pgxpool.Pool, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	b := &pgx.Batch{}
	b.Queue("UPDATE doc SET body = $1, token = $2 WHERE id = 1 AND token < $2", body, token)
	b.Queue("UPDATE other SET body = $1 WHERE id = 1", body)
	res := db.SendBatch(ctx, b)
	defer res.Close()
	tag, err := res.Exec()
	if err == nil && tag.RowsAffected() == 0 {
		err = errors.New("refused")
	}
	return err
}
