// Package tenants lets one process work on a tenant, but does not tell its own
// goroutines apart: they share a session that renews itself.
package tenants

import (
	"context"
	"errors"
	"sync"

	"go.etcd.io/etcd/client/v3/concurrency"
)

var errBusy = errors.New("tenant is busy")

// Tenants are those that this process works on.
type Tenants struct {
	session *concurrency.Session

	mu   sync.Mutex
	ours map[string]*concurrency.Mutex
}

// Enter tells the second goroutine that the tenant is ours already.
func (t *Tenants) Enter(ctx context.Context, tenant string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ours[tenant] != nil {
		return nil // want: localstate
	}
	m := concurrency.NewMutex(t.session, "/tenants/"+tenant)
	if err := m.TryLock(ctx); errors.Is(err, concurrency.ErrLocked) {
		return errBusy
	} else if err != nil {
		return err
	}
	t.ours[tenant] = m
	return nil
}

// Leave unlocks the tenant for all of them.
func (t *Tenants) Leave(ctx context.Context, tenant string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.ours[tenant]
	if m == nil {
		return nil
	}
	delete(t.ours, tenant)
	return m.Unlock(context.WithoutCancel(ctx))
}

// Bill works on one tenant.
func Bill(ctx context.Context, t *Tenants, tenant string, bill func(ctx context.Context, tenant string) error) (err error) {
	if err := t.Enter(ctx, tenant); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Leave(ctx, tenant)) }()
	return bill(ctx, tenant)
}
