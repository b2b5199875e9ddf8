package good

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// Lamps are listed in a sorted set, by when each was lit last.
type Lamps struct {
	rdb   *redis.Client
	locks *redislock.Client
}

// Light lights all lamps of a street: which lamps these are says the list, and each is put back
// there under its own lock.
func (l *Lamps) Light(ctx context.Context, street string, now time.Time) error {
	lamps, err := l.rdb.ZRange(ctx, "lamps:"+street, 0, -1).Result()
	if err != nil {
		return err
	}
	for _, lamp := range lamps {
		if err := l.light(ctx, street, lamp, now); err != nil {
			return err
		}
	}
	return nil
}

func (l *Lamps) light(ctx context.Context, street, lamp string, now time.Time) error {
	lock, err := l.locks.Obtain(ctx, "lamp:"+lamp, 10*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	return l.rdb.ZAdd(ctx, "lamps:"+street, redis.Z{Score: float64(now.Unix()), Member: lamp}).Err() // want: unfenced
}

// First does so for the first of them.
func (l *Lamps) First(ctx context.Context, street string, now time.Time) error {
	lamps, err := l.rdb.ZRange(ctx, "lamps:"+street, 0, 0).Result()
	if err != nil {
		return err
	}
	lock, err := l.hold(ctx, lamps[0]) // verdict: unfenced
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	return l.rdb.ZAdd(ctx, "lamps:"+street, redis.Z{Score: float64(now.Unix()), Member: lamps[0]}).Err() // want: unfenced
}

func (l *Lamps) hold(ctx context.Context, lamp string) (*redislock.Lock, error) {
	return l.locks.Obtain(ctx, "lamp:"+lamp, 10*time.Second, nil)
}
