package lock

import (
	"context"
	"sync"
	"time"

	"github.com/bsm/redislock"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Locker is what services are given.
type Locker interface {
	Lock(ctx context.Context, key string) (Unlocker, error)
}

// Unlocker is a lock that is held.
type Unlocker interface {
	Unlock(ctx context.Context) error
}

// Redis is the only Locker.
type Redis struct {
	client *redislock.Client
	ttl    time.Duration
}

func NewRedis(client *redislock.Client, ttl time.Duration) *Redis {
	return &Redis{client: client, ttl: ttl}
}

type redisHeld struct{ lock *redislock.Lock }

func (r *Redis) Lock(ctx context.Context, key string) (Unlocker, error) {
	l, err := r.client.Obtain(ctx, "svc:"+key, r.ttl, &redislock.Options{RetryStrategy: redislock.LinearBackoff(time.Second)})
	if err != nil {
		return nil, err
	}
	return &redisHeld{l}, nil
}

func (h *redisHeld) Unlock(ctx context.Context) error { return h.lock.Release(ctx) }

// Default is the Locker that programs use.
func Default(client *redislock.Client) Locker { return NewRedis(client, 25*time.Second) }

// Sequencer hands out tokens with its locks. Two stores can do so.
type Sequencer interface {
	Sequence(ctx context.Context, name string, fn func(ctx context.Context, token int64) error) error
}

// Etcd is a Sequencer.
type Etcd struct{ cli *clientv3.Client }

func (e *Etcd) Sequence(ctx context.Context, name string, fn func(ctx context.Context, token int64) error) error {
	return Fenced(ctx, e.cli, name, fn)
}

// Timed is a Sequencer whose tokens are no tokens.
type Timed struct{ client *redislock.Client }

func (t *Timed) Sequence(ctx context.Context, name string, fn func(ctx context.Context, token int64) error) error {
	l, err := t.client.Obtain(ctx, name, time.Minute, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return fn(ctx, time.Now().UnixNano())
}

// NewSequencer picks one.
func NewSequencer(cli *clientv3.Client, client *redislock.Client) Sequencer {
	if cli == nil {
		return &Timed{client}
	}
	return &Etcd{cli}
}

// Outside is implemented by other modules only.
type Outside interface {
	Lock(ctx context.Context, name string) (release func(), err error)
}

// Local returns a lock of etcd as the standard library's Locker.
func Local(session *concurrency.Session, name string) sync.Locker {
	return concurrency.NewLocker(session, "/local/"+name)
}

// Base is embedded by services.
type Base struct{ Locks *Client }

// Guard holds name until the function it returns is called.
func (b *Base) Guard(ctx context.Context, name string) (func(), error) {
	unlock, ok, err := b.Locks.Try(ctx, "guard:"+name, 15*time.Second)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrHeld
	}
	return unlock, nil
}
