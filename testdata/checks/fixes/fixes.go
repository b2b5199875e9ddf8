// Package fixes holds faults that fencevet can mend, and some that look alike and are
// left to their authors. What becomes of it stands in fixes.go.golden.
package fixes

import (
	"context"
	"time"

	"github.com/bsm/redislock"
)

type Lease struct {
	owner     string
	ExpiresAt time.Time
}

func newLease(owner string, ttl time.Duration) *Lease {
	return &Lease{owner: owner, ExpiresAt: time.Now().Add(ttl)}
}

// Expired drops the monotonic reading on one side.
func (l *Lease) Expired() bool {
	return time.Now().UTC().After(l.ExpiresAt) // want: wallclock
}

// Expires drops it on both sides.
func (l *Lease) Expires(within time.Duration) bool {
	return l.ExpiresAt.Local().Before(time.Now().Round(0).Add(within)) // want: wallclock
}

func Bounded(ctx context.Context, locker *redislock.Client, work func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	l, err := locker.Obtain(ctx, "fixes:bounded", time.Minute, nil)
	if err != nil {
		return err
	}
	defer l.Release(ctx) // want: release
	return work(ctx)
}
