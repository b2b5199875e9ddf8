// Package good gives locks back on all ways, or keeps them for good reasons. What the sections do is behind an
// interface, so that nothing but the release is judged.
package good

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

var (
	errBusy = errors.New("held elsewhere")
	errLost = errors.New("lock was lost")
)

// Job is implemented outside of this module.
type Job interface {
	Due(ctx context.Context) (bool, error)
	Run(ctx context.Context) error
}

var drop = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// free deletes key if owner still holds it.
func free(ctx context.Context, rdb *redis.Client, key, owner string) error {
	n, err := drop.Run(context.WithoutCancel(ctx), rdb, []string{key}, owner).Int()
	if err == nil && n == 0 {
		err = errLost
	}
	return err
}
