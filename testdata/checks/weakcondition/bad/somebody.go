package bad

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/clientv3util"
)

var errNotOurs = errors.New("held elsewhere")

// Keeper keeps one key while it works.
type Keeper struct {
	cli   *clientv3.Client
	lease clientv3.LeaseID
	key   string
}

func (k *Keeper) take(ctx context.Context) (int64, error) {
	put := clientv3.OpPut(k.key, "", clientv3.WithLease(k.lease))
	resp, err := k.cli.Txn(ctx).If(clientv3util.KeyMissing(k.key)).Then(put).Commit()
	if err != nil {
		return 0, err
	}
	if !resp.Succeeded {
		return 0, errNotOurs
	}
	return resp.Header.Revision, nil
}

// Save writes as long as anybody keeps the key.
func (k *Keeper) Save(ctx context.Context, plan string) error {
	if _, err := k.take(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer k.cli.Revoke(context.WithoutCancel(ctx), k.lease)
	resp, err := k.cli.Txn(ctx).If(clientv3util.KeyExists(k.key)).Then(clientv3.OpPut("plan", plan)).Commit() // want: weakcondition
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errNotOurs
	}
	return nil
}
