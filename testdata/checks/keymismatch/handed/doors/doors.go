// Package doors locks doors by name. What the names are is for its callers to know.
package doors

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

const prefix = "lock:door:"

var errNotMine = errors.New("doors: not mine")

var (
	drop   = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
	extend = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`)
)

type Doors struct{ rdb redis.UniversalClient }

// Lock returns the owner value that the other methods want.
func (d *Doors) Lock(ctx context.Context, door string) (owner string, ok bool, err error) {
	owner = rand.Text()
	ok, err = d.rdb.SetNX(ctx, prefix+door, owner, time.Minute).Result()
	return owner, ok, err
}

func (d *Doors) Unlock(ctx context.Context, door, owner string) error {
	return told(drop.Run(ctx, d.rdb, []string{prefix + door}, owner).Int())
}

func (d *Doors) Extend(ctx context.Context, door, owner string) error {
	return told(extend.Run(ctx, d.rdb, []string{prefix + door}, owner, time.Minute.Milliseconds()).Int())
}

func told(n int, err error) error {
	if err == nil && n == 0 {
		err = errNotMine
	}
	return err
}
