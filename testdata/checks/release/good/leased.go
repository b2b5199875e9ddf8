package good

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
)

var errMoored = errors.New("somebody lies there")

// Pier is held by a ship, which knows the revision of its key.
type Pier struct {
	cli   *clientv3.Client
	berth string
	lease clientv3.LeaseID
	rev   int64
}

// Moor takes it.
func (p *Pier) Moor(ctx context.Context) error {
	resp, err := p.cli.Txn(ctx).If(clientv3.Compare(clientv3.Version(p.berth), "=", 0)).Then(clientv3.OpPut(p.berth, "ship", clientv3.WithLease(p.lease))).Commit()
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errMoored
	}
	p.rev = resp.Header.Revision
	return nil
}

// Release takes away its own ship only.
func (p *Pier) Release(ctx context.Context) error {
	resp, err := p.cli.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(p.berth), "=", p.rev)).Then(clientv3.OpDelete(p.berth)).Commit()
	if err == nil && !resp.Succeeded {
		err = errors.New("not ours any more")
	}
	return err
}

// Unload has its lease renewed by somebody else.
func Unload(ctx context.Context, p *Pier, unload func(context.Context) error) (err error) {
	if err := p.Moor(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, p.Release(context.WithoutCancel(ctx))) }()
	return unload(ctx)
}

// Ferry gives up its lease, and with it nothing but its own key.
func Ferry(ctx context.Context, cli *clientv3.Client, cross func(context.Context) error) (err error) {
	g, err := cli.Grant(ctx, 20)
	if err != nil {
		return err
	}
	defer func() {
		_, e := cli.Revoke(context.WithoutCancel(ctx), g.ID)
		err = errors.Join(err, e)
	}()
	resp, err := cli.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision("/ferry"), "=", 0)).Then(clientv3.OpPut("/ferry", "", clientv3.WithLease(g.ID))).Commit()
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errMoored
	}
	return cross(ctx)
}
