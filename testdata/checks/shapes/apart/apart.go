// Package apart builds an etcd transaction statement by statement.
package apart

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Rule takes the throne for as long as the lease lives.
func Rule(ctx context.Context, client *clientv3.Client, me string) error {
	lease, err := client.Grant(ctx, 15)
	if err != nil {
		return err
	}
	defer client.Revoke(context.WithoutCancel(ctx), lease.ID)
	txn := client.Txn(ctx)
	txn.If(clientv3.Compare(clientv3.CreateRevision("/throne"), "=", 0))
	txn.Then(clientv3.OpPut("/throne", me, clientv3.WithLease(lease.ID)))
	resp, err := txn.Commit() // verdict: unfenced
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errors.New("taken")
	}
	_, err = client.Put(ctx, "/decree", "open the gates") // want: unfenced
	return err
}

// Reign compares the throne's revision in the transaction that writes.
func Reign(ctx context.Context, client *clientv3.Client, me string) error {
	lease, err := client.Grant(ctx, 15)
	if err != nil {
		return err
	}
	defer client.Revoke(context.WithoutCancel(ctx), lease.ID)
	take := client.Txn(ctx)
	take = take.If(clientv3.Compare(clientv3.CreateRevision("/seat"), "=", 0))
	take = take.Then(clientv3.OpPut("/seat", me, clientv3.WithLease(lease.ID)))
	resp, err := take.Commit() // verdict: fenced
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errors.New("taken")
	}
	write := client.Txn(ctx)
	write.If(clientv3.Compare(clientv3.CreateRevision("/seat"), "=", resp.Header.Revision))
	write.Then(clientv3.OpPut("/edict", "close the gates"))
	done, err := write.Commit()
	if err != nil {
		return err
	}
	if !done.Succeeded {
		return errors.New("dethroned")
	}
	return nil
}
