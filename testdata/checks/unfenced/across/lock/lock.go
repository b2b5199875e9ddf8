// Package lock offers one interface over Redis and, for a single process, over memory. It takes its locks for
// its callers.
package lock

import (
	"context"
	"sync"
	"time"

	"github.com/bsm/redislock"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Locker runs fn while it holds key.
type Locker interface {
	Do(ctx context.Context, key string, fn func(context.Context) error) error
}

// Redis holds leases.
type Redis struct {
	Client *redislock.Client
	TTL    time.Duration
}

func (r *Redis) Do(ctx context.Context, key string, fn func(context.Context) error) error {
	lock, err := r.Client.Obtain(ctx, key, r.TTL, &redislock.Options{RetryStrategy: redislock.LinearBackoff(50 * time.Millisecond)})
	if err != nil {
		return err
	}
	if err := fn(ctx); err != nil {
		_ = lock.Release(context.WithoutCancel(ctx)) // the error of fn says more
		return err
	}
	return lock.Release(context.WithoutCancel(ctx))
}

// Memory holds mutexes of this process.
type Memory struct{ locks sync.Map }

func (m *Memory) Do(ctx context.Context, key string, fn func(context.Context) error) error {
	v, _ := m.locks.LoadOrStore(key, new(sync.Mutex))
	mu := v.(*sync.Mutex)
	mu.Lock()
	defer mu.Unlock()
	return fn(ctx)
}

// WithToken runs fn under a lock of etcd and hands it the fencing token.
func WithToken(ctx context.Context, cli *clientv3.Client, key string, fn func(ctx context.Context, token int64) error) error {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(15))
	if err != nil {
		return err
	}
	defer session.Close()
	mutex := concurrency.NewMutex(session, key)
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return fn(session.Ctx(), mutex.Header().Revision)
}
