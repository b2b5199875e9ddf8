// Package names locks by name: Gate in two ways that differ, Door in one.
package names

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Errors of both.
var (
	ErrHeld = errors.New("held elsewhere")
	ErrLost = errors.New("not held any more")
)

var drop = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func dropped(ctx context.Context, rdb redis.UniversalClient, key, owner string) error {
	n, err := drop.Run(ctx, rdb, []string{key}, owner).Int()
	if err == nil && n == 0 {
		err = ErrLost
	}
	return err
}

// Gate forgets its prefix.
type Gate struct{ rdb redis.UniversalClient }

func (g Gate) Lock(ctx context.Context, name, owner string, ttl time.Duration) error {
	ok, err := g.rdb.SetNX(ctx, "gate:"+name, owner, ttl).Result()
	if err == nil && !ok {
		err = ErrHeld
	}
	return err
}

func (g Gate) Unlock(ctx context.Context, name, owner string) error {
	return dropped(ctx, g.rdb, name, owner) // want: keymismatch
}

// Door has one prefix for both.
type Door struct{ rdb redis.UniversalClient }

func (d Door) Lock(ctx context.Context, name, owner string, ttl time.Duration) error {
	ok, err := d.rdb.SetNX(ctx, "door:"+name, owner, ttl).Result()
	if err == nil && !ok {
		err = ErrHeld
	}
	return err
}

func (d Door) Unlock(ctx context.Context, name, owner string) error {
	return dropped(ctx, d.rdb, "door:"+name, owner)
}

// Latch keeps its name, and locks something else.
type Latch struct {
	rdb         redis.UniversalClient
	name, owner string
}

func (l *Latch) Lock(ctx context.Context) error {
	ok, err := l.rdb.SetNX(ctx, "latch:"+l.name, l.owner, time.Minute).Result()
	if err == nil && !ok {
		err = ErrHeld
	}
	return err
}

func (l *Latch) Unlock(ctx context.Context) error {
	return dropped(ctx, l.rdb, l.name, l.owner) // want: keymismatch
}

// Rail locks several names, and frees those of its keys that it is told.
type Rail struct{ rdb redis.UniversalClient }

func (r Rail) Lock(ctx context.Context, owner string, keys ...string) error {
	for _, key := range keys {
		if ok, err := r.rdb.SetNX(ctx, "rail:"+key, owner, time.Minute).Result(); err != nil || !ok { // want: release
			return errors.Join(err, ErrHeld)
		}
	}
	return nil
}

func (r Rail) Unlock(ctx context.Context, keys ...string) error { return r.rdb.Del(ctx, keys...).Err() }

// Bolt tells the key that it locked, which is what has to be given back.
type Bolt struct{ rdb redis.UniversalClient }

func (b Bolt) Lock(ctx context.Context, key, owner string) (string, error) {
	key = "bolt:" + key
	ok, err := b.rdb.SetNX(ctx, key, owner, time.Minute).Result()
	if err == nil && !ok {
		err = ErrHeld
	}
	return key, err
}

func (b Bolt) Unlock(ctx context.Context, key, owner string) error {
	return dropped(ctx, b.rdb, key, owner)
}
