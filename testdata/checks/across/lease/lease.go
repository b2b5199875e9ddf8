// Package lease takes distributed locks for the other packages here, in the forms in which programs hand them on.
// It has no uses of its own.
package lease

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Lock waits for key and returns the function that gives it back.
func Lock(ctx context.Context, client *redislock.Client, key string, ttl time.Duration) (unlock func(), err error) {
	l, err := client.Obtain(ctx, key, ttl, &redislock.Options{RetryStrategy: redislock.LinearBackoff(50 * time.Millisecond)})
	if err != nil {
		return nil, err
	}
	return func() { _ = l.Release(context.WithoutCancel(ctx)) }, nil
}

// Option sets a property of a Manager.
type Option func(*Manager)

// WithTTL sets how long a lease lives.
func WithTTL(ttl time.Duration) Option { return func(m *Manager) { m.ttl = ttl } }

// Manager hands out leases.
type Manager struct {
	rdb *redis.Client
	ttl time.Duration
}

func NewManager(rdb *redis.Client, opts ...Option) *Manager {
	m := &Manager{rdb: rdb, ttl: 10 * time.Second}
	for _, o := range opts {
		o(m)
	}
	return m
}

var (
	ErrHeld = errors.New("held by somebody else")

	release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
)

// Lease is a lock that is held.
type Lease struct {
	m          *Manager
	key, owner string
}

// Acquire does not wait.
func (m *Manager) Acquire(ctx context.Context, name string) (*Lease, error) {
	l := &Lease{m: m, key: "lock:" + name, owner: uuid.NewString()}
	ok, err := m.rdb.SetNX(ctx, l.key, l.owner, m.ttl).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrHeld
	}
	return l, nil
}

func (l *Lease) Release(ctx context.Context) error {
	return release.Run(ctx, l.m.rdb, []string{l.key}, l.owner).Err()
}

// Mutex is a lock of etcd, whose revisions are tokens.
type Mutex struct {
	session *concurrency.Session
	mutex   *concurrency.Mutex
}

func NewMutex(session *concurrency.Session, name string) *Mutex {
	return &Mutex{session: session, mutex: concurrency.NewMutex(session, "/locks/"+name)}
}

func (m *Mutex) Lock(ctx context.Context) error { return m.mutex.Lock(ctx) }

func (m *Mutex) Unlock(ctx context.Context) error { return m.mutex.Unlock(context.WithoutCancel(ctx)) }

// Token is greater than those of all earlier holders.
func (m *Mutex) Token() int64 { return m.mutex.Header().Revision }

// Do runs fn under a lock and hands it the token.
func Do(ctx context.Context, cli *clientv3.Client, name string, fn func(ctx context.Context, token int64) error) error {
	session, err := concurrency.NewSession(cli)
	if err != nil {
		return err
	}
	defer session.Close()
	m := NewMutex(session, name)
	if err := m.Lock(ctx); err != nil {
		return err
	}
	defer m.Unlock(ctx)
	return fn(ctx, m.Token())
}

// Each runs fn for every name, one lock after the other.
func Each[T any](ctx context.Context, cli *clientv3.Client, names map[string]T, fn func(ctx context.Context, v T, token int64) error) error {
	for name, v := range names {
		if err := Do(ctx, cli, name, func(ctx context.Context, token int64) error { return fn(ctx, v, token) }); err != nil {
			return err
		}
	}
	return nil
}
