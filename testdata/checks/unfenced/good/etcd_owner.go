package good

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// PutOwned: the transaction asks in the same cluster whether the lock is still held.
func PutOwned(ctx context.Context, session *concurrency.Session, key, value string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/owned/"+key)
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	resp, err := session.Client().Txn(ctx).If(mutex.IsOwner()).Then(clientv3.OpPut(key, value)).Commit()
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errStale
	}
	return nil
}

// Elect: the leader compares the revision of its own key before every write.
func Elect(ctx context.Context, session *concurrency.Session, me, plan string) (err error) {
	election := concurrency.NewElection(session, "/election/planner")
	if err := election.Campaign(ctx, me); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, election.Resign(context.WithoutCancel(ctx))) }()

	leader := clientv3.Compare(clientv3.CreateRevision(election.Key()), "=", election.Rev())
	return leaderTxn(ctx, session.Client(), leader, clientv3.OpPut("/plan", plan))
}

func leaderTxn(ctx context.Context, cli *clientv3.Client, leader clientv3.Cmp, ops ...clientv3.Op) error {
	resp, err := cli.Txn(ctx).If(leader).Then(ops...).Commit()
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errLost
	}
	return nil
}

// Swap: the value is replaced only at the revision that was read in this section.
func Swap(ctx context.Context, session *concurrency.Session, key, suffix string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/swap")
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	cur, err := session.Client().Get(ctx, key)
	if err != nil {
		return err
	}
	if len(cur.Kvs) == 0 {
		return errors.New("no value")
	}
	same := clientv3.Compare(clientv3.ModRevision(key), "=", cur.Kvs[0].ModRevision)
	resp, err := session.Client().Txn(ctx).If(same).Then(clientv3.OpPut(key, string(cur.Kvs[0].Value)+suffix)).Commit()
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errStale
	}
	return nil
}
