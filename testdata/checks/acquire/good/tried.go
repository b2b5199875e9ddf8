package good

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/hashicorp/consul/api"
)

// Migrator is implemented elsewhere.
type Migrator interface {
	Prepare()
	Migrate(ctx context.Context) error
}

// Change is one that a caller makes to how the lock is taken.
type Change func(*api.LockOptions)

// Migrations are done by one instance.
type Migrations struct {
	client   *api.Client
	locker   *redislock.Client
	migrator Migrator
}

// Tried asks for the channel as well.
func (m *Migrations) Tried(ctx context.Context, changes ...Change) error {
	o := &api.LockOptions{Key: "migrations", LockTryOnce: true, LockWaitTime: 2 * time.Second}
	for _, change := range changes {
		change(o)
	}
	l, err := m.client.LockOpts(o)
	if err != nil {
		return err
	}
	lost, err := l.Lock(nil) // verdict: unverified
	if err != nil {
		return err
	}
	if lost == nil {
		return errBusy
	}
	defer l.Unlock()
	work, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-lost:
			stop()
		case <-work.Done():
		}
	}()
	return m.migrator.Migrate(work)
}

// Prepared takes the lock for the preparation; what follows runs on every instance.
func (m *Migrations) Prepared(ctx context.Context) error {
	lease, err := m.locker.Obtain(ctx, "migrations", time.Minute, nil) // verdict: unverified
	if err == nil {
		defer lease.Release(context.WithoutCancel(ctx))
		m.migrator.Prepare()
	}
	return m.migrator.Migrate(ctx)
}
