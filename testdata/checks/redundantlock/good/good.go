// Package good has locks that at least one write needs.
package good

import (
	"context"
	"database/sql"
	"errors"

	"github.com/go-redsync/redsync/v4"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/clientv3util"
	"go.etcd.io/etcd/client/v3/concurrency"
)

func Register(ctx context.Context, locks *redsync.Redsync, db *sql.DB, mail string) error {
	mutex := locks.NewMutex("register")
	if err := mutex.LockContext(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	if _, err := db.ExecContext(ctx, "INSERT INTO users (mail) VALUES ($1) ON CONFLICT (mail) DO NOTHING", mail); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, "UPDATE site SET users = users + 1") // want: unfenced
	return err
}

// Owned writes only while the lock is held: it is the lock that makes it safe.
func Owned(ctx context.Context, session *concurrency.Session, cli *clientv3.Client) (bool, error) {
	mutex := concurrency.NewMutex(session, "/owned")
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return false, err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	resp, err := cli.Txn(ctx).If(mutex.IsOwner()).Then(clientv3.OpPut("/data", "x")).Commit()
	if err != nil {
		return false, err
	}
	return resp.Succeeded, nil
}

// Upgraded says what there is, once, before what only the holder may do.
func Upgraded(ctx context.Context, session *concurrency.Session, cli *clientv3.Client, next string) error {
	mutex := concurrency.NewMutex(session, "/upgraded")
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	first, err := cli.Txn(ctx).If(clientv3util.KeyMissing("/level")).Then(clientv3.OpPut("/level", next)).Commit()
	if err != nil || first.Succeeded {
		return err
	}
	resp, err := cli.Txn(ctx).If(mutex.IsOwner()).Then(clientv3.OpPut("/level", next), clientv3.OpDelete("/draft")).Commit()
	if err == nil && !resp.Succeeded {
		err = errors.New("the lock is lost")
	}
	return err
}
