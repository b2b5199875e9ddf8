// Package twofold keeps its records in Redis, or in memory where a single process has no need of that.
package twofold

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

var errThere = errors.New("there already")

// Store is one of the two, with the lock that suits it.
type Store interface {
	Lock(ctx context.Context, name string) (unlock func(), err error)
	Create(ctx context.Context, name, text string) error
}

// RemoteStore is for many processes.
type RemoteStore struct {
	rdb    *redis.Client
	locker *redislock.Client
}

func (s *RemoteStore) Lock(ctx context.Context, name string) (func(), error) {
	lock, err := s.locker.Obtain(ctx, "lock:"+name, time.Minute, nil)
	if err != nil {
		return nil, err
	}
	return func() { lock.Release(context.WithoutCancel(ctx)) }, nil
}

func (s *RemoteStore) Create(ctx context.Context, name, text string) error {
	first, err := s.rdb.SetNX(ctx, "record:"+name, text, 0).Result()
	if err == nil && !first {
		err = errThere
	}
	return err
}

// LocalStore is for one.
type LocalStore struct {
	mu      sync.Mutex
	one     sync.Mutex
	records map[string]string
}

func (s *LocalStore) Lock(context.Context, string) (func(), error) {
	s.one.Lock()
	return s.one.Unlock, nil
}

func (s *LocalStore) Create(_ context.Context, name, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records[name] = text
	return nil
}

// Open picks one.
func Open(rdb *redis.Client) Store {
	if rdb == nil {
		return &LocalStore{records: make(map[string]string)}
	}
	return &RemoteStore{rdb: rdb, locker: redislock.New(rdb)}
}

// Desk works with whichever there is.
type Desk struct{ store, archive Store }

// File takes the lock of the store that it writes.
func (d *Desk) File(ctx context.Context, name, text string) error {
	unlock, err := d.store.Lock(ctx, name) // verdict: fenced
	if err != nil {
		return err
	}
	defer unlock()
	return d.store.Create(ctx, name, text)
}

// Archive writes to another store, which may be of the other kind.
func (d *Desk) Archive(ctx context.Context, name, text string) error {
	unlock, err := d.store.Lock(ctx, name) // verdict: unfenced
	if err != nil {
		return err
	}
	defer unlock()
	return d.archive.Create(ctx, name, text) // want: unfenced
}
