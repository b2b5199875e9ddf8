package bad

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"github.com/bsm/redislock"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// When renewing fails, all of these take the lock anew while the work goes on: for a
// while it may have been another's.

// Dump is a lock of its own library, held in a field.
type Dump struct {
	locker *redislock.Client
	lock   *redislock.Lock
}

func (d *Dump) obtain(ctx context.Context) (err error) {
	d.lock, err = d.locker.Obtain(ctx, "dump", time.Minute, nil)
	return err
}

// Write writes the dump.
func (d *Dump) Write(ctx context.Context, write func(context.Context) error) error {
	if err := d.obtain(ctx); err != nil {
		return err
	}
	defer func() { d.lock.Release(context.WithoutCancel(ctx)) }()
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go d.keep(held, lost)
	return write(held)
}

func (d *Dump) keep(ctx context.Context, lost context.CancelCauseFunc) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(20 * time.Second):
		}
		if err := d.lock.Refresh(ctx, time.Minute, nil); err != nil {
			slog.WarnContext(ctx, "refresh", "err", err)
			if err := d.obtain(ctx); err != nil { // want: renewal
				lost(err)
				return
			}
		}
	}
}

func plant(ctx context.Context, cli *clientv3.Client, key string) (clientv3.LeaseID, error) {
	lease, err := cli.Grant(ctx, 60)
	if err != nil {
		return 0, err
	}
	resp, err := cli.Txn(ctx).If(clientv3.Compare(clientv3.Version(key), "=", 0)).Then(clientv3.OpPut(key, rand.Text(), clientv3.WithLease(lease.ID))).Commit()
	if err != nil {
		return 0, err
	}
	if !resp.Succeeded {
		return 0, errBusy
	}
	return lease.ID, nil
}

// Weed keeps a key of etcd's.
func Weed(ctx context.Context, cli *clientv3.Client, bed string, pull func(context.Context) error) error {
	key := "/beds/" + bed
	lease, err := plant(ctx, cli, key)
	if err != nil {
		return err
	}
	defer func() { cli.Revoke(context.WithoutCancel(ctx), lease) }()
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() {
		tick := time.NewTicker(20 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-held.Done():
				return
			case <-tick.C:
			}
			if _, err := cli.KeepAliveOnce(held, lease); err == nil {
				continue
			}
			next, err := plant(held, cli, key) // want: renewal
			if err != nil {
				lost(err)
				return
			}
			lease = next
		}
	}()
	return pull(held)
}
