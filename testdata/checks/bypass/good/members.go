package good

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// Guests are a set in Redis.
type Guests struct {
	rdb   *redis.Client
	locks *redislock.Client
}

// Seat makes one guest of the list the host's neighbour, and nobody else's.
func (g *Guests) Seat(ctx context.Context, guest string) error {
	l, err := g.locks.Obtain(ctx, "guests", 10*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	if err := g.rdb.SRem(ctx, "guests:free", guest).Err(); err != nil {
		return err
	}
	return g.rdb.Set(ctx, "guests:neighbour", guest, 0).Err() // want: unfenced
}

// Leave takes another guest off the list, who need not wait for that.
func (g *Guests) Leave(ctx context.Context, guest string) error {
	return g.rdb.SRem(ctx, "guests:free", guest).Err()
}
