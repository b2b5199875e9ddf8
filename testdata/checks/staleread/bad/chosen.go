package bad

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// Lamps are listed in a sorted set, by how bright each is.
type Lamps struct {
	rdb   *redis.Client
	locks *redislock.Client
}

// Dim makes the brightest lamp darker than it was before the lock was taken.
func (l *Lamps) Dim(ctx context.Context, street string) error {
	lamps, err := l.rdb.ZRevRangeWithScores(ctx, "brightness:"+street, 0, 0).Result()
	if err != nil {
		return err
	}
	lock, err := l.locks.Obtain(ctx, "lamps:"+street, 10*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	return l.rdb.ZAdd(ctx, "brightness:"+street, redis.Z{Score: lamps[0].Score - 1, Member: lamps[0].Member}).Err() // want: staleread, unfenced
}
