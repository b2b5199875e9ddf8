// Package corplock is the client of a company's own lock service, which fencevet knows by the directives here alone.
package corplock

import (
	"context"
	"time"
)

// Client talks to the lock service.
type Client interface {
	// Lock waits for name and returns the number of this grant.
	//
	//fencevet:acquire key=name token=fence ttl=ttl
	Lock(ctx context.Context, name string, ttl time.Duration) (fence int64, err error)
	// Unlock gives name back.
	//
	//fencevet:release key=name
	Unlock(ctx context.Context, name string) error
	// TryLease does not wait. The lease is nil while somebody else has it.
	//
	//fencevet:acquire key=o.Name try=true the lease knows its number
	TryLease(ctx context.Context, o Options) (Lease, error)
	// Name says which server this is: nothing about locks.
	Name() string
}

// Options of a lease.
type Options struct {
	Name string
	Tags []string
}

// Lease is a lock that is held.
type Lease interface {
	//fencevet:token
	Number() int64
	ID() string
	//fencevet:release
	Close() error
}

// With runs f under the lock of name.
//
//fencevet:acquire key=name runs=f
func With(ctx context.Context, c Client, name string, f func(ctx context.Context) error) error {
	panic("not here: the service's own module has it")
}
