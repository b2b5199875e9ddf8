package caller

import (
	"context"

	"example.org/locks/checks/across/lease"
	"example.org/locks/checks/across/ledger"
)

// ticket has a function of another package fill what another has made.
func ticket(account string, until int64) *lease.Ticket {
	t := lease.NewTicket("")
	t.Stamp(account, until)
	return t
}

// Settle writes under the lease that a ticket asks for.
func Settle(ctx context.Context, m *lease.Manager, l *ledger.Repository, account string) error {
	t := ticket(account, 7)
	held, err := m.Acquire(ctx, "settle:"+t.Account) // want: unfenced // verdict: unfenced
	if err != nil {
		return err
	}
	defer held.Release(ctx)
	return l.SetBalance(ctx, t.Account, 0)
}
