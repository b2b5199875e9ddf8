// Package good compares a token at the resource in ways that look like the faulty ones next door and hold.
package good

import (
	"context"
	"database/sql"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
)

var errStale = errors.New("written under a newer lock")

// withToken runs fn under the lock and hands it the fencing token.
func withToken(ctx context.Context, session *concurrency.Session, key string, fn func(token int64) error) (err error) {
	mutex := concurrency.NewMutex(session, key)
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	return fn(mutex.Header().Revision)
}

// one takes a statement that has changed no row for a rejected one.
func one(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		err = errStale
	}
	return err
}
