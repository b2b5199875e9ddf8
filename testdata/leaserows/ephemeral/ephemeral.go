// Package ephemeral keeps keys alive for as long as somebody wants them. The same
// functions keep a lock and tell who is there: only the user says which.
package ephemeral

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
)

var ErrExists = errors.New("the key exists")

// A Keeper starts to keep a key, until stop is called. gone is closed when the key
// is no longer there.
type Keeper interface {
	Keep(ctx context.Context, key string, beat time.Duration) (gone <-chan struct{}, stop func(), err error)
}

type etcdClient interface {
	clientv3.KV
	clientv3.Lease
}

// Etcd keeps keys in etcd.
type Etcd struct{ client etcdClient }

func (e *Etcd) Keep(ctx context.Context, key string, beat time.Duration) (<-chan struct{}, func(), error) {
	lease, err := e.client.Grant(ctx, int64(beat/time.Second))
	if err != nil {
		return nil, nil, err
	}
	switch resp, err := e.client.Txn(ctx).
		If(clientv3.Compare(clientv3.Version(key), "=", 0)).
		Then(clientv3.OpPut(key, "", clientv3.WithLease(lease.ID))).
		Commit(); {
	case err != nil:
		return nil, nil, err
	case !resp.Succeeded:
		return nil, nil, ErrExists
	}
	ctx, cancel := context.WithCancel(ctx)
	gone := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(gone)
		tick := time.NewTicker(beat / 3)
		defer tick.Stop()
		defer func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
			defer cancel()
			e.client.Revoke(ctx, lease.ID)
		}()
		for {
			select {
			case <-tick.C:
				if _, err := e.client.KeepAliveOnce(ctx, lease.ID); err != nil {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	})
	return gone, func() { cancel(); wg.Wait() }, nil
}

// Redis keeps keys in Redis.
type Redis struct{ client *redis.Client }

func (r *Redis) Keep(ctx context.Context, key string, beat time.Duration) (<-chan struct{}, func(), error) {
	set, err := r.client.SetNX(ctx, key, "kept", beat).Result()
	if err != nil {
		return nil, nil, err
	}
	if !set {
		return nil, nil, ErrExists
	}
	ctx, cancel := context.WithCancel(ctx)
	gone := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(gone)
		tick := time.NewTicker(beat / 3)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if err := r.client.Expire(ctx, key, beat).Err(); err != nil { // want: renewal
					r.drop(ctx, key)
					return
				}
			case <-ctx.Done():
				r.drop(ctx, key) // want: release
				return
			}
		}
	})
	return gone, func() { cancel(); wg.Wait() }, nil
}

func (r *Redis) drop(ctx context.Context, key string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	r.client.Del(ctx, key)
}

// A Watcher repairs nodes. One of all watchers is active.
type Watcher struct {
	keeper Keeper
	repair func(context.Context) error
}

// withActiveLock tries until it has the key, and repairs as long as it has it.
func (w *Watcher) withActiveLock(ctx context.Context) error {
	var gone <-chan struct{}
	var stop func()
	for {
		var err error
		if gone, stop, err = w.register(ctx); err == nil { // verdict: unverified
			break
		}
		if !errors.Is(err, ErrExists) {
			return err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		<-gone
		cancel()
	}()
	return w.repair(ctx)
}

func (w *Watcher) register(ctx context.Context) (<-chan struct{}, func(), error) {
	return w.keeper.Keep(ctx, "/watcher/active", 15*time.Second)
}

// Announce tells others that a service is at an address, while it is.
func (r *Redis) Announce(ctx context.Context, addr string) (<-chan struct{}, func(), error) {
	return r.Keep(ctx, "/services/"+addr, time.Minute)
}
