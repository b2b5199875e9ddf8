package good

import (
	"context"
	"database/sql"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Basket reads who owns it before it waits, and what is in it with the lock.
func Basket(ctx context.Context, etcd *clientv3.Client, db *sql.DB, id, item string) (err error) {
	var owner string
	if err := db.QueryRowContext(ctx, "SELECT owner FROM basket WHERE id = $1", id).Scan(&owner); err != nil {
		return err
	}
	session, err := concurrency.NewSession(etcd, concurrency.WithTTL(10))
	if err != nil {
		return err
	}
	defer session.Close()
	mu := concurrency.NewMutex(session, "/basket/"+owner)
	if err := mu.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mu.Unlock(context.WithoutCancel(ctx))) }()
	var body string
	if err := db.QueryRowContext(ctx, "SELECT body FROM basket WHERE id = $1", id).Scan(&body); err != nil {
		return err
	}
	res, err := db.ExecContext(ctx, "UPDATE basket SET body = $2, owner = $4, fence = $3 WHERE id = $1 AND fence < $3", id, body+item, mu.Header().Revision, owner)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errors.New("a newer one"), err)
	}
	return nil
}
