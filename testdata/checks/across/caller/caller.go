// Package caller imports no library of locks or of databases: what it does is done by packages that do.
package caller

import (
	"context"

	"example.org/locks/checks/across/lease"
	"example.org/locks/checks/across/ledger"
)

// Clear writes under a lease.
func Clear(ctx context.Context, m *lease.Manager, l *ledger.Repository, account string) error {
	held, err := m.Acquire(ctx, "clear:"+account) // want: unfenced // verdict: unfenced
	if err != nil {
		return err
	}
	defer held.Release(ctx)
	return l.SetBalance(ctx, account, 0)
}
