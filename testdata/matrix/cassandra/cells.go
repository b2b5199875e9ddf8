// Cassandra: IF, whose refusal only ScanCAS tells.
package cassandra

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/gocql/gocql"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, db *gocql.Session, body, text string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	applied, err := db.Query("UPDATE doc SET body = ?, token = ? WHERE id = 1 IF token < ?", body, token, token).WithContext(ctx).ScanCAS()
	if err == nil && !applied {
		err = errors.New("refused")
	}
	return err
}

// no OwnerFenced: the statement is the one of sql

// cell: version
func Version(ctx context.Context, session *concurrency.Session, db *gocql.Session, body, text string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	applied, err := db.Query("UPDATE doc SET body = ?, version = ? WHERE id = 1 IF version = ?", body, version+1, version).WithContext(ctx).ScanCAS()
	if err == nil && !applied {
		err = errors.New("refused")
	}
	return err
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, db *gocql.Session, body, text string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return db.Query("UPDATE doc SET body = ? WHERE id = 1", body).WithContext(ctx).Exec()
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, db *gocql.Session, body, text string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	applied, err := db.Query("UPDATE doc SET body = ?, token = ? WHERE id = 1 IF token > ?", body, token, token).WithContext(ctx).ScanCAS()
	if err == nil && !applied {
		err = errors.New("refused")
	}
	return err
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, db *gocql.Session, body, text string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	applied, err := db.Query("UPDATE doc SET body = ?, token = ? WHERE id = 1 IF token < ?", body, id, id).WithContext(ctx).ScanCAS()
	if err == nil && !applied {
		err = errors.New("refused")
	}
	return err
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, db *gocql.Session, body, text string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	applied, err := db.Query("UPDATE doc SET body = ? WHERE id = 1 IF token < ?", body, token).WithContext(ctx).ScanCAS()
	if err == nil && !applied {
		err = errors.New("refused")
	}
	return err
}

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, db *gocql.Session, body, text string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	var last int64
	if err := db.Query("SELECT token FROM doc WHERE id = 1").WithContext(ctx).Scan(&last); err != nil {
		return err
	}
	if last >= token {
		return errors.New("refused")
	}
	return db.Query("UPDATE doc SET body = ?, token = ? WHERE id = 1", body, token).WithContext(ctx).Exec()
}

// cell: token, result dropped
func Dropped(ctx context.Context, session *concurrency.Session, db *gocql.Session, body, text string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return db.Query("UPDATE doc SET body = ?, token = ? WHERE id = 1 IF token < ?", body, token, token).WithContext(ctx).Exec()
}

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, db *gocql.Session, body, text string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	applied, err := db.Query(text, body, token).WithContext(ctx).ScanCAS()
	if err == nil && !applied {
		err = errors.New("refused")
	}
	return err
}
