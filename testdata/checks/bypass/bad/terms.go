package bad

import (
	"context"
	"errors"

	"github.com/hashicorp/consul/api"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

var errOver = errors.New("the term is over")

// Weights are set by the leader, in its term.
type Weights struct {
	cli *clientv3.Client
}

func (w *Weights) Set(ctx context.Context, session *concurrency.Session, pool, weight string) error {
	leader := concurrency.NewElection(session, "/weights/leader")
	if err := leader.Campaign(ctx, ""); err != nil { // verdict: fenced
		return err
	}
	defer leader.Resign(context.WithoutCancel(ctx))
	mine := clientv3.Compare(clientv3.CreateRevision(leader.Key()), "=", leader.Rev())
	done, err := w.cli.Txn(ctx).If(mine).Then(clientv3.OpPut("/weights/of/"+pool, weight)).Commit()
	if err == nil && !done.Succeeded {
		err = errOver
	}
	return err
}

// Zero is for the one on duty, who leads nothing.
func (w *Weights) Zero(ctx context.Context, pool string) error {
	_, err := w.cli.Put(ctx, "/weights/of/"+pool, "0") // note: bypass // linked
	return err
}

// Plan is written in a transaction that knows the session.
func Plan(client *api.Client, session, plan string) error {
	kv := client.KV()
	got, _, err := kv.Acquire(&api.KVPair{Key: "plan/lock", Session: session}, nil) // verdict: fenced
	if err != nil || !got {
		return errors.Join(err, errOver)
	}
	defer kv.Release(&api.KVPair{Key: "plan/lock", Session: session}, nil)
	ok, _, _, err := kv.Txn(api.KVTxnOps{
		{Verb: api.KVCheckSession, Key: "plan/lock", Session: session},
		{Verb: api.KVSet, Key: "plan/current", Value: []byte(plan)},
	}, nil)
	if err == nil && !ok {
		err = errOver
	}
	return err
}

// Replan puts another one in its place.
func Replan(client *api.Client, plan string) error {
	_, err := client.KV().Put(&api.KVPair{Key: "plan/current", Value: []byte(plan)}, nil) // note: bypass // linked
	return err
}
