package etcd

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: none
func Otherwise(ctx context.Context, session *concurrency.Session, client *clientv3.Client, body string, compares []clientv3.Cmp) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res, err := client.Txn(ctx).If(clientv3.Compare(clientv3.Version("/doc"), "=", 0)).Then(clientv3.OpPut("/doc", body)).Else(clientv3.OpPut("/doc", body)).Commit()
	if err == nil && !res.Succeeded {
		err = errors.New("refused")
	}
	return err
}
