package good

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

var letGo = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Mill grinds one sack at a time.
type Mill struct {
	rdb  *redis.Client
	name string
	ttl  time.Duration
}

// MillOption changes a mill.
type MillOption func(*time.Duration)

// NewMill lets options set what it does not set itself.
func NewMill(rdb *redis.Client, name string, opts ...MillOption) *Mill {
	m := &Mill{rdb: rdb, name: name}
	for _, o := range opts {
		o(&m.ttl)
	}
	return m
}

// Grind holds the lock for as long as it was told.
func (m *Mill) Grind(ctx context.Context, owner string, sack func(context.Context) error) error {
	return grind(ctx, m.rdb, "lock:mill:"+m.name, owner, m.ttl, sack)
}

// Press presses one grape at a time.
type Press struct {
	rdb *redis.Client
	ttl time.Duration
}

// winery has the only one.
var winery = Press{ttl: time.Minute}

// Tread uses it.
func Tread(ctx context.Context, owner string, grape func(context.Context) error) error {
	return winery.tread(ctx, owner, grape)
}

func (p *Press) tread(ctx context.Context, owner string, grape func(context.Context) error) (err error) {
	ok, err := p.rdb.SetNX(ctx, "lock:press", owner, p.ttl).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("pressing")
	}
	defer func() {
		n, e := letGo.Run(context.WithoutCancel(ctx), p.rdb, []string{"lock:press"}, owner).Int()
		if e == nil && n == 0 {
			e = errors.New("lost")
		}
		err = errors.Join(err, e)
	}()
	return grape(ctx)
}

func grind(ctx context.Context, rdb *redis.Client, key, owner string, ttl time.Duration, sack func(context.Context) error) (err error) {
	ok, err := rdb.SetNX(ctx, key, owner, ttl).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("grinding")
	}
	defer func() {
		n, e := letGo.Run(context.WithoutCancel(ctx), rdb, []string{key}, owner).Int()
		if e == nil && n == 0 {
			e = errors.New("lost")
		}
		err = errors.Join(err, e)
	}()
	return sack(ctx)
}
