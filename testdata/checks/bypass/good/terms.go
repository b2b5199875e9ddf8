package good

import (
	"context"
	"errors"

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

// Zero asks the leader to do it.
func (w *Weights) Zero(ctx context.Context, pool string) error {
	_, err := w.cli.Put(ctx, "/weights/asked/"+pool, "0")
	return err
}

// Remove is another thing than to set.
func (w *Weights) Remove(ctx context.Context, pool string) error {
	_, err := w.cli.Delete(ctx, "/weights/of/"+pool)
	return err
}

// First sets what was not there yet.
func (w *Weights) First(ctx context.Context, pool, weight string) error {
	key := "/weights/of/" + pool
	_, err := w.cli.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).Then(clientv3.OpPut(key, weight)).Commit()
	return err
}
