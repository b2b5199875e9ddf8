// Consul: the checks of a transaction.
package consultxn

import (
	"context"
	"crypto/rand"
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
	return applied(ok, err)
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
	ok, _, _, err := kv.Txn(api.KVTxnOps{
		{Verb: api.KVCAS, Key: "doc", Value: body, Index: pair.ModifyIndex},
	}, nil)
	return applied(ok, err)
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, kv *api.KV, body []byte, id string, ops api.KVTxnOps) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	ok, _, _, err := kv.Txn(api.KVTxnOps{
		{Verb: api.KVSet, Key: "doc", Value: body},
	}, nil)
	return applied(ok, err)
}

// no WrongWay: Consul compares indexes for equality only

// cell: none, weakcondition
func RandomEqual(ctx context.Context, session *concurrency.Session, kv *api.KV, body []byte, id string, ops api.KVTxnOps) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	ok, _, _, err := kv.Txn(api.KVTxnOps{
		{Verb: api.KVCheckSession, Key: "locks/doc", Session: rand.Text()},
		{Verb: api.KVSet, Key: "doc", Value: body},
	}, nil)
	return applied(ok, err)
}

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
	ok, _, _, err := kv.Txn(api.KVTxnOps{
		{Verb: api.KVSet, Key: "doc", Value: body},
	}, nil)
	return applied(ok, err)
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
	_, _, _, err = kv.Txn(api.KVTxnOps{{Verb: api.KVCAS, Key: "doc", Value: body, Index: pair.ModifyIndex}}, nil)
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
	return applied(ok, err)
}

// cell: none, weakcondition
func IndexOfAnother(ctx context.Context, session *concurrency.Session, kv *api.KV, body []byte, id string, ops api.KVTxnOps) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	pair, _, err := kv.Get("gate", nil)
	if err != nil {
		return err
	}
	ok, _, _, err := kv.Txn(api.KVTxnOps{
		{Verb: api.KVCheckIndex, Key: "gate", Index: pair.ModifyIndex},
		{Verb: api.KVSet, Key: "doc", Value: body},
	}, nil)
	return applied(ok, err)
}

// cell: version
func IndexOfBoth(ctx context.Context, session *concurrency.Session, kv *api.KV, body []byte, id string, ops api.KVTxnOps) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	pair, _, err := kv.Get("gate", nil)
	if err != nil {
		return err
	}
	ok, _, _, err := kv.Txn(api.KVTxnOps{
		{Verb: api.KVCheckIndex, Key: "gate", Index: pair.ModifyIndex},
		{Verb: api.KVSet, Key: "gate", Value: pair.Value},
		{Verb: api.KVSet, Key: "doc", Value: body},
	}, nil)
	return applied(ok, err)
}

// cell: unique
func Once(ctx context.Context, session *concurrency.Session, kv *api.KV, body []byte, id string, ops api.KVTxnOps) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	ok, _, _, err := kv.Txn(api.KVTxnOps{
		{Verb: api.KVCheckNotExists, Key: "doc"},
		{Verb: api.KVSet, Key: "doc", Value: body},
	}, nil)
	return applied(ok, err)
}

func applied(ok bool, err error) error {
	if err == nil && !ok {
		err = errors.New("refused")
	}
	return err
}
