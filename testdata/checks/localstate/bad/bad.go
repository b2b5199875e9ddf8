// Package bad remembers that it has the lock.
package bad

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

var drop = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

var errBusy = errors.New("held elsewhere")

// Flag remembers one lock.
type Flag struct {
	rdb  *redis.Client
	held bool
}

// Lock answers from memory.
func (f *Flag) Lock(ctx context.Context, owner string) (bool, error) {
	if f.held {
		return true, nil // want: localstate
	}
	ok, err := f.rdb.SetNX(ctx, "lock:flag", owner, time.Minute).Result()
	if err != nil {
		return false, err
	}
	if !ok {
		return false, nil
	}
	f.held = true
	return true, nil
}

// Map remembers many.
type Map struct {
	mu     sync.Mutex
	locker *redislock.Client
	leases map[string]*redislock.Lock
}

// Lock finds the name in the map.
func (m *Map) Lock(ctx context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.leases[name]; ok {
		return nil // want: localstate
	}
	lease, err := m.locker.Obtain(ctx, name, time.Minute, nil)
	if errors.Is(err, redislock.ErrNotObtained) {
		return errBusy
	}
	if err != nil {
		return err
	}
	m.leases[name] = lease
	return nil
}

// Unlock forgets it.
func (m *Map) Unlock(ctx context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	lease := m.leases[name]
	delete(m.leases, name)
	return lease.Release(context.WithoutCancel(ctx))
}

// Unlock gives the lock back to the others.
func (f *Flag) Unlock(ctx context.Context, owner string) error {
	f.held = false
	return drop.Run(context.WithoutCancel(ctx), f.rdb, []string{"lock:flag"}, owner).Err()
}
