// Consul: check-and-set, and the checks of a transaction.
package consul

import (
	"context"
	"errors"
	"strconv"

	"github.com/hashicorp/consul/api"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// no TokenFenced: Consul compares indexes for equality only

// cell: owner
func OwnerFenced(ctx context.Context, kv *api.KV, body []byte, id string, ops api.KVTxnOps) error {
	pair := &api.KVPair{Key: "locks/doc", Session: id}
	ok, _, err := kv.Acquire(pair, nil)
	if err != nil || !ok {
		return err
	}
	defer kv.Release(pair, nil)
	ok, _, _, err = kv.Txn(api.KVTxnOps{
		{Verb: api.KVCheckSession, Key: "locks/doc", Session: id},
		{Verb: api.KVSet, Key: "doc", Value: body},
	}, nil)
	if err == nil && !ok {
		err = errors.New("refused")
	}
	return err
}

// cell: version
func Version(ctx context.Context, session *concurrency.Session, kv *api.KV, body []byte, id string, ops api.KVTxnOps) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	pair, _, err := kv.Get("doc", nil)
	if err != nil {
		return err
	}
	ok, _, err := kv.CAS(&api.KVPair{Key: "doc", Value: body, ModifyIndex: pair.ModifyIndex}, nil)
	if err == nil && !ok {
		err = errors.New("refused")
	}
	return err
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, kv *api.KV, body []byte, id string, ops api.KVTxnOps) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := kv.Put(&api.KVPair{Key: "doc", Value: body}, nil)
	return err
}

// no WrongWay: Consul compares indexes for equality only

// no RandomEqual: a session that is checked is the lock itself

// no NotStored: Consul compares indexes for equality only

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, kv *api.KV, body []byte, id string, ops api.KVTxnOps) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	pair, _, err := kv.Get("doc/token", nil)
	if err != nil {
		return err
	}
	if last, _ := strconv.ParseInt(string(pair.Value), 10, 64); last >= token {
		return errors.New("refused")
	}
	_, err = kv.Put(&api.KVPair{Key: "doc", Value: body}, nil)
	return err
}

// cell: version, result dropped
func Dropped(ctx context.Context, session *concurrency.Session, kv *api.KV, body []byte, id string, ops api.KVTxnOps) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	pair, _, err := kv.Get("doc", nil)
	if err != nil {
		return err
	}
	_, _, err = kv.CAS(&api.KVPair{Key: "doc", Value: body, ModifyIndex: pair.ModifyIndex}, nil)
	return err
}

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, kv *api.KV, body []byte, id string, ops api.KVTxnOps) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	ok, _, _, err := kv.Txn(ops, nil)
	if err == nil && !ok {
		err = errors.New("refused")
	}
	return err
}
