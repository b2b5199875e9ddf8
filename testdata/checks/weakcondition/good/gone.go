package good

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/clientv3util"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// terms are what writes ask for: that the key of the mutex stands.
func terms(mutex *concurrency.Mutex) []clientv3.Cmp {
	return []clientv3.Cmp{clientv3util.KeyExists(mutex.Key())}
}

// Paint asks for the terms.
func Paint(ctx context.Context, session *concurrency.Session, wall, colour string) (err error) {
	mutex := concurrency.NewMutex(session, "/walls/"+wall)
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	resp, err := session.Client().Txn(ctx).If(terms(mutex)...).Then(clientv3.OpPut("/colours/"+wall, colour)).Commit()
	if err == nil && !resp.Succeeded {
		err = errStale
	}
	return err
}

// Plaster asks when the wall's own record was written last.
func Plaster(ctx context.Context, session *concurrency.Session, wall, by string) error {
	return withToken(ctx, session, "/walls/"+wall, func(token int64) error { // verdict: fenced
		older := clientv3.Compare(clientv3.ModRevision("/plaster/"+wall), "<", token)
		resp, err := session.Client().Txn(ctx).If(older).Then(clientv3.OpPut("/plaster/"+wall, by)).Commit()
		if err == nil && !resp.Succeeded {
			err = errStale
		}
		return err
	})
}
