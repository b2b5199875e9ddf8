package bad

import (
	"context"
	"database/sql"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Leased counts the writes of a key that goes with the session.
func Leased(ctx context.Context, cli *clientv3.Client, sess *concurrency.Session, db *sql.DB, sku string, cents int) error {
	m := concurrency.NewMutex(sess, "/leased/"+sku)
	if err := m.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	answer, err := cli.Put(ctx, "/count/"+sku, "", clientv3.WithLease(sess.Lease()), clientv3.WithPrevKV()) // want: tokenreset
	if err != nil {
		return err
	}
	n := int64(1)
	if answer.PrevKv != nil {
		n += answer.PrevKv.Version
	}
	return guarded(ctx, db, sku, cents, n)
}

// counter draws numbers for its caller.
type counter struct {
	cli *clientv3.Client
	key string
}

func (c *counter) next(ctx context.Context, lease clientv3.LeaseID) (int64, error) {
	answer, err := c.cli.Put(ctx, c.key, "", clientv3.WithPrevKV(), clientv3.WithLease(lease)) // want: tokenreset
	switch {
	case err != nil:
		return 0, err
	case answer.PrevKv == nil:
		return 1, nil
	}
	return answer.PrevKv.Version + 1, nil
}

// Next draws its number by a method.
func Next(ctx context.Context, cli *clientv3.Client, sess *concurrency.Session, db *sql.DB, sku string, cents int) error {
	m := concurrency.NewMutex(sess, "/next/"+sku)
	if err := m.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	c := &counter{cli: cli, key: "/numbers/" + sku}
	n, err := c.next(ctx, sess.Lease())
	if err != nil {
		return err
	}
	return guarded(ctx, db, sku, cents, n)
}

// enter takes a lock by a key that goes with a lease, and counts in another one that does so too.
func enter(ctx context.Context, cli *clientv3.Client, sku string) (lease clientv3.LeaseID, n int64, err error) {
	granted, err := cli.Grant(ctx, 30)
	if err != nil {
		return 0, 0, err
	}
	lease = granted.ID
	defer func() {
		if err != nil {
			_, _ = cli.Revoke(context.WithoutCancel(ctx), lease)
		}
	}()
	key := "/entered/" + sku
	res, err := cli.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).Then(clientv3.OpPut(key, "", clientv3.WithLease(lease))).Commit()
	if err != nil {
		return lease, 0, err
	}
	if !res.Succeeded {
		return lease, 0, errBusy
	}
	count, err := cli.Put(ctx, key+"/count", "", clientv3.WithLease(lease), clientv3.WithPrevKV()) // want: tokenreset
	if err != nil {
		return lease, 0, err
	}
	n = 1
	if count.PrevKv != nil {
		n = count.PrevKv.Version + 1
	}
	return lease, n, nil
}

// Enter has its number from the function that takes the lock.
func Enter(ctx context.Context, cli *clientv3.Client, db *sql.DB, sku string, cents int) error {
	lease, n, err := enter(ctx, cli, sku) // verdict: fenced
	if err != nil {
		return err
	}
	defer cli.Revoke(context.WithoutCancel(ctx), lease)
	return guarded(ctx, db, sku, cents, n)
}
