package lease

// A Ticket says for what a lease is asked.
type Ticket struct {
	Account string
	Until   *int64
}

// Stamp fills in what is known.
func (t *Ticket) Stamp(account string, until int64) {
	t.Account = account
	if until > 0 {
		t.Until = &until
	}
}

// NewTicket is for an account.
func NewTicket(account string) *Ticket { return &Ticket{Account: account} }
