package good

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/redis/go-redis/v9"
)

// Args is told of a holder by an error, redis.Nil, and of nothing else.
func Args(ctx context.Context, rdb *redis.Client, owner string, count func() int) (n int, err error) {
	err = rdb.SetArgs(ctx, "lock:args", owner, redis.SetArgs{Mode: "NX", TTL: time.Minute}).Err()
	if errors.Is(err, redis.Nil) {
		return 0, errors.New("busy")
	}
	if err != nil {
		return 0, err
	}
	defer drop.Run(context.WithoutCancel(ctx), rdb, []string{"lock:args"}, owner)
	return count(), nil
}

// Beacon is lit by one of many, who asks for the lamp in a function of its own.
type Beacon struct{ rdb *redis.Client }

func (b Beacon) lamp(ctx context.Context, owner string) (bool, error) {
	lit, err := b.rdb.SetNX(ctx, "lock:lamp", owner, time.Minute).Result()
	if err != nil {
		return false, err
	}
	return lit, nil
}

// Light logs that nobody can be asked, and goes by the answer: that is no yes then.
func (b Beacon) Light(ctx context.Context, owner string, light func(context.Context) error) (err error) {
	lit, err := b.lamp(ctx, owner)
	if err != nil {
		log.Print(err)
	}
	if !lit {
		return nil
	}
	defer func() {
		err = errors.Join(err, drop.Run(context.WithoutCancel(ctx), b.rdb, []string{"lock:lamp"}, owner).Err())
	}()
	return light(ctx)
}
