package good

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/clientv3util"
	"go.etcd.io/etcd/client/v3/concurrency"
)

var errNotOurs = errors.New("held elsewhere")

// Save changes what is there, as long as the key of the lock is the one that it made.
func Save(ctx context.Context, session *concurrency.Session, plan string) (err error) {
	m := concurrency.NewMutex(session, "/plans/lock")
	if err := m.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, m.Unlock(context.WithoutCancel(ctx))) }()
	mine := clientv3.Compare(clientv3.CreateRevision(m.Key()), "=", m.Header().Revision)
	resp, err := session.Client().Txn(ctx).If(clientv3util.KeyExists("plan"), mine).Then(clientv3.OpPut("plan", plan)).Commit()
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errNotOurs
	}
	return nil
}
