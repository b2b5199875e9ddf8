// etcd: the compares of a transaction.
package etcd

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, client *clientv3.Client, body string, compares []clientv3.Cmp) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := client.Txn(ctx).If(clientv3.Compare(clientv3.Value("doc/token"), "<", fmt.Sprintf("%020d", token))).Then(clientv3.OpPut("doc", body), clientv3.OpPut("doc/token", fmt.Sprintf("%020d", token))).Commit()
	if err == nil && !res.Succeeded {
		err = errors.New("refused")
	}
	return err
}

// cell: owner
func OwnerFenced(ctx context.Context, session *concurrency.Session, client *clientv3.Client, body string, compares []clientv3.Cmp) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res, err := client.Txn(ctx).If(mutex.IsOwner()).Then(clientv3.OpPut("doc", body)).Commit()
	if err == nil && !res.Succeeded {
		err = errors.New("refused")
	}
	return err
}

// cell: version
func Version(ctx context.Context, session *concurrency.Session, client *clientv3.Client, body string, compares []clientv3.Cmp) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	got, err := client.Get(ctx, "doc")
	if err != nil {
		return err
	}
	res, err := client.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision("doc"), "=", got.Kvs[0].ModRevision)).Then(clientv3.OpPut("doc", body)).Commit()
	if err == nil && !res.Succeeded {
		err = errors.New("refused")
	}
	return err
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, client *clientv3.Client, body string, compares []clientv3.Cmp) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := client.Put(ctx, "doc", body)
	return err
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, client *clientv3.Client, body string, compares []clientv3.Cmp) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := client.Txn(ctx).If(clientv3.Compare(clientv3.Value("doc/token"), ">", fmt.Sprintf("%020d", token))).Then(clientv3.OpPut("doc", body), clientv3.OpPut("doc/token", fmt.Sprintf("%020d", token))).Commit()
	if err == nil && !res.Succeeded {
		err = errors.New("refused")
	}
	return err
}

// cell: none, weakcondition
func RandomEqual(ctx context.Context, session *concurrency.Session, client *clientv3.Client, body string, compares []clientv3.Cmp) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res, err := client.Txn(ctx).If(clientv3.Compare(clientv3.Value("doc/holder"), "=", fmt.Sprintf("%x", session.Lease()))).Then(clientv3.OpPut("doc", body)).Commit()
	if err == nil && !res.Succeeded {
		err = errors.New("refused")
	}
	return err
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, client *clientv3.Client, body string, compares []clientv3.Cmp) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := client.Txn(ctx).If(clientv3.Compare(clientv3.Value("doc/token"), "<", fmt.Sprintf("%020d", token))).Then(clientv3.OpPut("doc", body)).Commit()
	if err == nil && !res.Succeeded {
		err = errors.New("refused")
	}
	return err
}

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, client *clientv3.Client, body string, compares []clientv3.Cmp) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	got, err := client.Get(ctx, "doc/token")
	if err != nil {
		return err
	}
	if last, _ := strconv.ParseInt(string(got.Kvs[0].Value), 10, 64); last >= token {
		return errors.New("refused")
	}
	_, err = client.Put(ctx, "doc", body)
	return err
}

// cell: owner, result dropped
func Dropped(ctx context.Context, session *concurrency.Session, client *clientv3.Client, body string, compares []clientv3.Cmp) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := client.Txn(ctx).If(mutex.IsOwner()).Then(clientv3.OpPut("doc", body)).Commit()
	return err
}

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, client *clientv3.Client, body string, compares []clientv3.Cmp) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res, err := client.Txn(ctx).If(compares...).Then(clientv3.OpPut("doc", body)).Commit()
	if err == nil && !res.Succeeded {
		err = errors.New("refused")
	}
	return err
}
