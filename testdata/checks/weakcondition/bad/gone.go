package bad

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Announce asks for the key of the election to be no younger than its own: it is not, once
// it is gone.
func Announce(ctx context.Context, session *concurrency.Session, text string) (err error) {
	election := concurrency.NewElection(session, "/speaker")
	if err := election.Campaign(ctx, "me"); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, election.Resign(context.WithoutCancel(ctx))) }()
	mine := clientv3.Compare(clientv3.ModRevision(election.Key()), "<", election.Rev()+1)
	resp, err := session.Client().Txn(ctx).If(mine).Then(clientv3.OpPut("/speech", text)).Commit() // want: weakcondition
	if err == nil && !resp.Succeeded {
		err = errStale
	}
	return err
}

// terms are what writes ask for.
func terms(mutex *concurrency.Mutex) []clientv3.Cmp {
	return []clientv3.Cmp{clientv3.Compare(clientv3.CreateRevision(mutex.Key()), "<", mutex.Header().Revision+1)}
}

// Paint does so with a mutex, by a function of its own.
func Paint(ctx context.Context, session *concurrency.Session, wall, colour string) (err error) {
	mutex := concurrency.NewMutex(session, "/walls/"+wall)
	if err := mutex.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	resp, err := session.Client().Txn(ctx).If(terms(mutex)...).Then(clientv3.OpPut("/colours/"+wall, colour)).Commit() // want: weakcondition
	if err == nil && !resp.Succeeded {
		err = errStale
	}
	return err
}

// Plaster asks when the wall's own record was created, which is once.
func Plaster(ctx context.Context, session *concurrency.Session, wall, by string) error {
	return withToken(ctx, session, "/walls/"+wall, func(token int64) error { // verdict: unfenced
		older := clientv3.Compare(clientv3.CreateRevision("/plaster/"+wall), "<", token)
		resp, err := session.Client().Txn(ctx).If(older).Then(clientv3.OpPut("/plaster/"+wall, by)).Commit() // want: weakcondition
		if err == nil && !resp.Succeeded {
			err = errStale
		}
		return err
	})
}
