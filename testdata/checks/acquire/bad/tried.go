package bad

import (
	"context"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/hashicorp/consul/api"
)

// Migrator is implemented elsewhere.
type Migrator interface {
	Migrate(ctx context.Context) error
}

// Change is one that a caller makes to how the lock is taken.
type Change func(*api.LockOptions)

// Migrations are done by one instance.
type Migrations struct {
	client   *api.Client
	locks    *redsync.Redsync
	migrator Migrator
	steps    []func(context.Context) error
}

// Tried gives up after two seconds, whatever else the caller wants.
func (m *Migrations) Tried(ctx context.Context, changes ...Change) error {
	o := &api.LockOptions{Key: "migrations", SessionTTL: "30s", LockTryOnce: true, LockWaitTime: 2 * time.Second}
	for _, change := range changes {
		change(o)
	}
	l, err := m.client.LockOpts(o)
	if err != nil {
		return err
	}
	if _, err := l.Lock(nil); err != nil { // want: acquire // verdict: unverified // lock: migrations api.LockOptions.SessionTTL
		return err
	}
	defer l.Unlock()
	return m.migrator.Migrate(ctx)
}

// Maybe gives up where it is told to.
func (m *Migrations) Maybe(ctx context.Context, once bool) error {
	o := &api.SemaphoreOptions{Prefix: "migrations", Limit: 1}
	if once {
		o.SemaphoreTryOnce = true
	}
	s, err := m.client.SemaphoreOpts(o)
	if err != nil {
		return err
	}
	if _, err := s.Acquire(nil); err != nil { // want: acquire, renewal // verdict: unverified
		return err
	}
	defer s.Release()
	for _, step := range m.steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Dropped looks at no answer either, and the work is out of sight.
func (m *Migrations) Dropped(ctx context.Context) error {
	mutex := m.locks.NewMutex("migrations")
	mutex.LockContext(ctx) // want: acquire // verdict: unverified
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	return m.migrator.Migrate(ctx)
}
