package bad

import (
	"context"
	"errors"
	"strconv"

	"github.com/hashicorp/consul/api"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Number hands out numbers. Its transaction knows the holder, but not the number.
func Number(ctx context.Context, cli *clientv3.Client, session *concurrency.Session) (int, error) {
	mutex := concurrency.NewMutex(session, "/number/lock")
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return 0, err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	resp, err := cli.Get(ctx, "/number/next", clientv3.WithSerializable()) // want: replica
	if err != nil || len(resp.Kvs) == 0 {
		return 0, errors.Join(err, errors.New("no number"))
	}
	n, err := strconv.Atoi(string(resp.Kvs[0].Value))
	if err != nil {
		return 0, err
	}
	done, err := cli.Txn(ctx).If(mutex.IsOwner()).Then(clientv3.OpPut("/number/next", strconv.Itoa(n+1))).Commit()
	if err == nil && !done.Succeeded {
		err = errors.New("lost the lock")
	}
	return n, err
}

// Settle asks whichever server is near.
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
	pair, _, err := client.KV().Get("settle/state", &api.QueryOptions{AllowStale: true}) // want: replica
	if err != nil || pair == nil || string(pair.Value) == "settled" {
		return err
	}
	_, err = client.KV().Put(&api.KVPair{Key: "settle/state", Value: []byte("settled")}, nil) // want: unfenced
	return err
}

// Close asks with options that also carry a context.
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
	if done, err := closed(ctx, client); done || err != nil {
		return err
	}
	_, err = client.KV().Put(&api.KVPair{Key: "close/state", Value: []byte("closed")}, nil) // want: unfenced
	return err
}

func closed(ctx context.Context, client *api.Client) (bool, error) {
	near := api.QueryOptions{AllowStale: true}
	pair, _, err := client.KV().Get("close/state", near.WithContext(ctx)) // want: replica
	return pair != nil && string(pair.Value) == "closed", err
}
