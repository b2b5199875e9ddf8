package good

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Dredge looks once before the long work, and asks again in the transaction that writes.
func Dredge(ctx context.Context, session *concurrency.Session, harbour, depth string) (err error) {
	mutex := concurrency.NewMutex(session, "/harbours/"+harbour)
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	resp, err := session.Client().Txn(ctx).If(mutex.IsOwner()).Then(clientv3.OpGet("/depths/" + harbour)).Commit()
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errStale
	}
	resp, err = session.Client().Txn(ctx).If(mutex.IsOwner()).Then(clientv3.OpPut("/depths/"+harbour, depth)).Commit()
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errStale
	}
	return nil
}
