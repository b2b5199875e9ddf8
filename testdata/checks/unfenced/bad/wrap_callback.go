package bad

import (
	"context"
	"database/sql"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// withLock runs fn under the lock and hands it the fencing token.
func withLock(ctx context.Context, cli *clientv3.Client, key string, fn func(ctx context.Context, token int64) error) (err error) {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(10))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	mutex := concurrency.NewMutex(session, "/locks/"+key)
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	return fn(session.Ctx(), mutex.Header().Revision)
}

// Approve is handed a token and ignores it.
func Approve(ctx context.Context, cli *clientv3.Client, db *sql.DB, request int64, by string) error {
	return withLock(ctx, cli, "requests", func(ctx context.Context, _ int64) error { // verdict: unfenced
		_, err := db.ExecContext(ctx, "UPDATE request SET approved_by = $2 WHERE id = $1", request, by) // want: unfenced
		return err
	})
}

// withShop is a wrapper of the wrapper; it loses the token for everybody.
func withShop(ctx context.Context, cli *clientv3.Client, shop string, fn func(context.Context) error) error {
	return withLock(ctx, cli, "shop/"+shop, func(ctx context.Context, _ int64) error { return fn(ctx) })
}

func OpenShop(ctx context.Context, cli *clientv3.Client, db *sql.DB, shop string, hours string) error {
	return withShop(ctx, cli, shop, func(ctx context.Context) error { // verdict: unfenced
		_, err := db.ExecContext(ctx, "UPDATE shop SET hours = $2 WHERE id = $1", shop, hours) // want: unfenced
		return err
	})
}

// closing is a method used as the callback.
type closing struct {
	db   *sql.DB
	shop string
}

func (c closing) write(ctx context.Context) error {
	_, err := c.db.ExecContext(ctx, "UPDATE shop_state SET state = 'closed' WHERE id = $1", c.shop) // want: unfenced
	return err
}

func CloseShop(ctx context.Context, cli *clientv3.Client, db *sql.DB, shop string) error {
	return withShop(ctx, cli, shop, closing{db: db, shop: shop}.write) // verdict: unfenced
}
