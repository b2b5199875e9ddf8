// Package turns takes a lock for whoever is given a function of it.
package turns

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// A Turn is had until it is left.
type Turn struct {
	Number int64
	Leave  func() error
}

// Take waits for one.
func Take(ctx context.Context, cli *clientv3.Client, name string) (*Turn, error) {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(20), concurrency.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	mutex := concurrency.NewMutex(session, "/turns/"+name)
	if err := mutex.Lock(session.Client().Ctx()); err != nil {
		return nil, errors.Join(err, session.Close())
	}
	leave := func() error {
		free, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer cancel()
		return errors.Join(mutex.Unlock(free), session.Close())
	}
	return &Turn{Number: mutex.Header().Revision, Leave: leave}, nil
}

// From is Take with a client.
func From(cli *clientv3.Client) func(ctx context.Context, name string) (*Turn, error) {
	return func(ctx context.Context, name string) (*Turn, error) { return Take(ctx, cli, name) }
}

// InTx runs do in a transaction that has the lock.
func InTx(ctx context.Context, pool *pgxpool.Pool, name string, do func(ctx context.Context, tx pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext($1))", name); err != nil {
			return err
		}
		return do(ctx, tx)
	})
}
