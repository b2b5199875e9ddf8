package consul

import (
	"context"
	"errors"

	"github.com/hashicorp/consul/api"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: unique
func Create(ctx context.Context, session *concurrency.Session, kv *api.KV, body []byte, id string, ops api.KVTxnOps) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	ok, _, err := kv.CAS(&api.KVPair{Key: "doc", Value: body}, nil)
	if err == nil && !ok {
		err = errors.New("refused")
	}
	return err
}
