package bad

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// A key of etcd goes with its lease, and the next holder has the same key.

// Pier is held by a ship.
type Pier struct {
	cli   *clientv3.Client
	berth string
	lease clientv3.LeaseID
}

// Moor takes it.
func (p *Pier) Moor(ctx context.Context) error {
	resp, err := p.cli.Txn(ctx).If(clientv3.Compare(clientv3.Version(p.berth), "=", 0)).Then(clientv3.OpPut(p.berth, "ship", clientv3.WithLease(p.lease))).Commit()
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errBusy
	}
	return nil
}

// Release takes the ship away that lies there.
func (p *Pier) Release(ctx context.Context) error {
	_, err := p.cli.Delete(ctx, p.berth) // want: release
	return err
}

// Unload has its lease renewed by somebody else.
func Unload(ctx context.Context, p *Pier, unload func(context.Context) error) (err error) {
	if err := p.Moor(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Release(context.WithoutCancel(ctx))) }()
	return unload(ctx)
}
