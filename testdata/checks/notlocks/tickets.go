package notlocks

import (
	"context"
	"errors"

	"github.com/google/uuid"
	clientv3 "go.etcd.io/etcd/client/v3"
)

var errThere = errors.New("key exists")

// create makes a key that must not exist yet.
func create(ctx context.Context, cli *clientv3.Client, key string, lease clientv3.LeaseID) error {
	resp, err := cli.Txn(ctx).If(clientv3.Compare(clientv3.Version(key), "=", 0)).Then(clientv3.OpPut(key, "", clientv3.WithLease(lease))).Commit()
	if err == nil && !resp.Succeeded {
		err = errThere
	}
	return err
}

// Join makes a key for a member of a group.
func Join(ctx context.Context, cli *clientv3.Client, group string, lease clientv3.LeaseID) error {
	if err := create(ctx, cli, group+"/"+uuid.NewString(), lease); err != nil {
		return err
	}
	_, err := cli.Put(ctx, group+"/changed", "")
	return err
}
