package good

import (
	"context"
	"database/sql"
	"sync"
)

// A Gatehouse keeps a lock on a session of its own, and remembers that it has it: the lock
// has no lease that could run out.
type Gatehouse struct {
	mu   sync.Mutex
	conn *sql.Conn
	shut bool
}

// Lock takes it once.
func (g *Gatehouse) Lock(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		return nil
	}
	var ok bool
	if err := g.conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock(88)").Scan(&ok); err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	g.shut = true
	return nil
}

// Unlock gives it back, if it was taken.
func (g *Gatehouse) Unlock(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.shut {
		return nil
	}
	var ok bool
	err := g.conn.QueryRowContext(ctx, "SELECT pg_advisory_unlock(88)").Scan(&ok)
	if err == nil && !ok {
		err = errBusy
	}
	g.shut = false
	return err
}
