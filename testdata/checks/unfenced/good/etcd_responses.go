package good

import (
	"context"
	"database/sql"
	"errors"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// Answered takes its token from what the transaction that takes the lock answers.
func Answered(ctx context.Context, cli *clientv3.Client, db *sql.DB, depot, stock string) (err error) {
	key := "/depots/" + depot + "/keeper"
	lease, err := cli.Grant(ctx, 25)
	if err != nil {
		return err
	}
	vacant := clientv3.Compare(clientv3.CreateRevision(key), "=", 0)
	resp, err := cli.Txn(ctx).If(vacant).Then(clientv3.OpPut(key, depot, clientv3.WithLease(lease.ID)), clientv3.OpGet(key)).Commit() // verdict: fenced
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errors.New("the depot has a keeper")
	}
	defer func() {
		_, e := cli.Revoke(context.WithoutCancel(ctx), lease.ID)
		err = errors.Join(err, e)
	}()
	kept := resp.Responses[1].GetResponseRange().Kvs[0]
	return keep(ctx, db, depot, stock, kept.CreateRevision)
}

// Unpacked does the same without the getter.
func Unpacked(ctx context.Context, cli *clientv3.Client, db *sql.DB, depot, stock string) (err error) {
	key := "/depots/" + depot + "/keeper"
	lease, err := cli.Grant(ctx, 25)
	if err != nil {
		return err
	}
	vacant := clientv3.Compare(clientv3.CreateRevision(key), "=", 0)
	resp, err := cli.Txn(ctx).If(vacant).Then(clientv3.OpPut(key, depot, clientv3.WithLease(lease.ID)), clientv3.OpGet(key)).Commit() // verdict: fenced
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errors.New("the depot has a keeper")
	}
	defer func() {
		_, e := cli.Revoke(context.WithoutCancel(ctx), lease.ID)
		err = errors.Join(err, e)
	}()
	got, ok := resp.Responses[1].Response.(*etcdserverpb.ResponseOp_ResponseRange)
	if !ok {
		return errors.New("no answer to the get")
	}
	return keep(ctx, db, depot, stock, got.ResponseRange.Kvs[0].ModRevision)
}

func keep(ctx context.Context, db *sql.DB, depot, stock string, token int64) error {
	res, err := db.ExecContext(ctx, "UPDATE depot SET stock = $2, keeper_token = $3 WHERE id = $1 AND keeper_token < $3", depot, stock, token)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errors.New("a newer keeper has counted"), err)
	}
	return nil
}
