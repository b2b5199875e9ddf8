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

// Either replaces what it has read, or creates what was not there: an index of zero asks for
// that, too.
//
// cell: version
func Either(ctx context.Context, session *concurrency.Session, kv *api.KV, body []byte, id string, ops api.KVTxnOps) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	pair, _, err := kv.Get("doc", nil)
	if err != nil {
		return err
	}
	var index uint64
	if pair != nil {
		index = pair.ModifyIndex
	}
	ok, _, err := kv.CAS(&api.KVPair{Key: "doc", Value: body, ModifyIndex: index}, nil)
	if err == nil && !ok {
		err = errors.New("refused")
	}
	return err
}
