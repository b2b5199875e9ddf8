package good

import (
	"context"
	"errors"

	"github.com/hashicorp/consul/api"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Swap may read something old: its write compares the version of what it read. What
// it only shows may be old as well.
func Swap(ctx context.Context, cli *clientv3.Client, session *concurrency.Session, next string) (banner string, err error) {
	mutex := concurrency.NewMutex(session, "/swap/lock")
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return "", err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	resp, err := cli.Get(ctx, "/swap/state", clientv3.WithSerializable())
	if err != nil || len(resp.Kvs) == 0 {
		return "", errors.Join(err, errors.New("no state"))
	}
	shown, err := cli.Get(ctx, "/swap/banner", clientv3.WithSerializable())
	if err != nil {
		return "", err
	}
	for _, kv := range shown.Kvs {
		banner = string(kv.Value)
	}
	same := clientv3.Compare(clientv3.ModRevision("/swap/state"), "=", resp.Kvs[0].ModRevision)
	done, err := cli.Txn(ctx).If(same).Then(clientv3.OpPut("/swap/state", next)).Commit()
	if err == nil && !done.Succeeded {
		err = errors.New("changed meanwhile")
	}
	return banner, err
}

// Settle asks the leader.
func Settle(client *api.Client) error {
	l, err := client.LockKey("settle/lock")
	if err != nil {
		return err
	}
	lost, err := l.Lock(nil) // verdict: unfenced
	if err != nil || lost == nil {
		return err
	}
	defer l.Unlock()
	pair, _, err := client.KV().Get("settle/state", nil)
	if err != nil || pair == nil || string(pair.Value) == "settled" {
		return err
	}
	_, err = client.KV().Put(&api.KVPair{Key: "settle/state", Value: []byte("settled")}, nil) // want: unfenced
	return err
}

// Close asks the leader, and no longer than the caller waits.
func Close(ctx context.Context, client *api.Client) error {
	l, err := client.LockKey("close/lock")
	if err != nil {
		return err
	}
	lost, err := l.Lock(ctx.Done()) // verdict: unfenced
	if err != nil || lost == nil {
		return err
	}
	defer l.Unlock()
	sure := &api.QueryOptions{RequireConsistent: true}
	pair, _, err := client.KV().Get("close/state", sure.WithContext(ctx))
	if err != nil || pair == nil || string(pair.Value) == "closed" {
		return err
	}
	_, err = client.KV().Put(&api.KVPair{Key: "close/state", Value: []byte("closed")}, nil) // want: unfenced
	return err
}
