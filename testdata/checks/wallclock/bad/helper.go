package bad

import (
	"sync"
	"time"
)

// now is the clock of this package, in UTC.
func now() time.Time { return time.Now().UTC() }

// table is a table of leases that a lock server keeps; both sides went through UTC.
type table struct {
	mu     sync.Mutex
	leases map[string]Lease
}

func (t *table) acquireLease(name, owner string, ttl time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l, ok := t.leases[name]; ok && l.Owner != owner && now().Before(l.ExpiresAt) { // want: wallclock
		return false
	}
	t.leases[name] = Lease{Owner: owner, ExpiresAt: now().Add(ttl)}
	return true
}

// renewLeases: Truncate strips the reading as well; the subtraction is that of two wall clocks.
func (t *table) renewLeases(ttl time.Duration) (due []string) {
	at := time.Now().Truncate(time.Second)
	t.mu.Lock()
	defer t.mu.Unlock()
	for name, lease := range t.leases {
		if lease.ExpiresAt.Sub(at) < ttl/2 { // want: wallclock
			due = append(due, name)
		}
	}
	return due
}
