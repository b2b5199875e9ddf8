// Package bad holds locks whose resource accepts a write from anybody: the token stops somewhere on its way,
// or there never was one.
package bad

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

var (
	errBusy = errors.New("held elsewhere")
	errLost = errors.New("lock was lost")
)

var compareAndDelete = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`)

// free deletes key if owner still holds it.
func free(ctx context.Context, rdb *redis.Client, key, owner string) error {
	n, err := compareAndDelete.Run(context.WithoutCancel(ctx), rdb, []string{key}, owner).Int()
	if err == nil && n == 0 {
		err = errLost
	}
	return err
}
