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
