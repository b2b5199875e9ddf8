package moored

import (
	"context"
	"time"

	"github.com/bsm/redislock"
)

// Settings may say how long a berth is kept.
type Settings interface {
	Has(name string) bool
	Duration(name string) time.Duration
}

func berth(s Settings) time.Duration {
	if !s.Has("berth") {
		return 2 * time.Minute
	}
	return s.Duration("berth")
}

// Keep keeps one for as long as that, or as a default says.
func Keep(ctx context.Context, locker *redislock.Client, s Settings) (*redislock.Lock, error) {
	return locker.Obtain(ctx, "berth", berth(s), nil)
}
