package good

import (
	"context"
	"time"

	"github.com/bsm/redislock"
)

// Berth knows two times: until when it is its own, and when the harbour shuts.
type Berth struct {
	*redislock.Lock
	good  time.Time
	shuts time.Time
}

// Harbour gives berths out.
type Harbour struct {
	locks *redislock.Client
	stay  time.Duration
	hours time.Duration
}

// Moor keeps the time of the lock as it was read; the harbour goes by the clock on the wall.
func (h *Harbour) Moor(ctx context.Context, ship string) (*Berth, error) {
	from := time.Now()
	l, err := h.locks.Obtain(ctx, "berth:"+ship, h.stay, nil)
	if err != nil {
		return nil, err
	}
	return &Berth{Lock: l, good: from.Add(h.stay), shuts: from.UTC().Truncate(24 * time.Hour).Add(h.hours)}, nil
}

// Afloat is about the lock.
func (b *Berth) Afloat() bool { return time.Now().Before(b.good) }

// Open is not.
func (b *Berth) Open() bool { return time.Now().UTC().Before(b.shuts) }
