package bad

import (
	"context"
	"database/sql"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// take gives back what it opened only where it fails: then the deferred function closes the session, which
// frees the lock. Where it succeeds the lock is the caller's.
func take(ctx context.Context, cli *clientv3.Client, name string) (mutex *concurrency.Mutex, err error) {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(20))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, session.Close())
		}
	}()
	mutex = concurrency.NewMutex(session, "/locks/"+name)
	if err = mutex.Lock(ctx); err != nil {
		return nil, err
	}
	return mutex, nil
}

// Retitle writes under the lock that take left held.
func Retitle(ctx context.Context, cli *clientv3.Client, db *sql.DB, id int64, name string) (err error) {
	mutex, err := take(ctx, cli, "names") // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	_, err = db.ExecContext(ctx, "UPDATE item SET name = $2 WHERE id = $1", id, name) // want: unfenced
	return err
}
