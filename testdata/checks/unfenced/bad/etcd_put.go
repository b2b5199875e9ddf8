package bad

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Assign: lock and data share one cluster, yet the Put does not ask whether the lock is still held.
func Assign(ctx context.Context, session *concurrency.Session, shard, node string) (err error) {
	cli := session.Client()
	mutex := concurrency.NewMutex(session, "/locks/shard/"+shard)
	if err := mutex.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	cur, err := cli.Get(ctx, "/shards/"+shard)
	if err != nil {
		return err
	}
	if len(cur.Kvs) > 0 && string(cur.Kvs[0].Value) == node {
		return nil
	}
	_, err = cli.Put(ctx, "/shards/"+shard, node) // want: unfenced
	return err
}

// AssignAll: a Txn without If is as unconditional as a Put.
func AssignAll(ctx context.Context, session *concurrency.Session, node string, shards []string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/allshards")
	if err := mutex.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	var puts []clientv3.Op
	for _, s := range shards {
		puts = append(puts, clientv3.OpPut("/allshards/"+s, node))
	}
	_, err = session.Client().Txn(ctx).Then(puts...).Commit() // want: unfenced
	return err
}
