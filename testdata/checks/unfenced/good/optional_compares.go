package good

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Vane asks who owns the lock only where it is told to be strict: an If without compares always holds.
func Vane(ctx context.Context, session *concurrency.Session, roof, wind string, strict bool) (err error) {
	mutex := concurrency.NewMutex(session, "/vanes/"+roof)
	if err := mutex.Lock(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	var compares []clientv3.Cmp
	if strict {
		compares = append(compares, mutex.IsOwner())
	}
	resp, err := session.Client().Txn(ctx).If(compares...).Then(clientv3.OpPut("/wind/"+roof, wind)).Commit()
	if err == nil && !resp.Succeeded {
		err = errStale
	}
	return err
}
