package good

import (
	"context"
	"errors"
	"strconv"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// An order asks for a number, and comes with the channel for the answer.
type order struct {
	series string
	answer chan<- int64
}

// Number answers orders as long as it leads. Who waits for an answer is not told to lead.
func Number(ctx context.Context, session *concurrency.Session, orders <-chan order) (err error) {
	election := concurrency.NewElection(session, "/numbers/leader")
	if err := election.Campaign(ctx, "numbers"); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, election.Resign(context.WithoutCancel(ctx))) }()
	for {
		select {
		case <-session.Done():
			return errLost
		case o := <-orders:
			n, err := number(ctx, session.Client(), election, o.series)
			if err != nil {
				return err
			}
			o.answer <- n
		}
	}
}

func number(ctx context.Context, cli *clientv3.Client, election *concurrency.Election, series string) (int64, error) {
	got, err := cli.Get(ctx, "/numbers/"+series)
	if err != nil {
		return 0, err
	}
	var n int64
	if len(got.Kvs) > 0 {
		if n, err = strconv.ParseInt(string(got.Kvs[0].Value), 10, 64); err != nil {
			return 0, err
		}
	}
	leads := clientv3.Compare(clientv3.CreateRevision(election.Key()), "=", election.Rev())
	res, err := cli.Txn(ctx).If(leads).Then(clientv3.OpPut("/numbers/"+series, strconv.FormatInt(n+1, 10))).Commit()
	if err == nil && !res.Succeeded {
		err = errLost
	}
	return n, err
}
