// Package bad holds locks for longer than their leases last. Most sections only read, so that nothing but their
// length is wrong; where a loop writes, the write is unfenced as well.
package bad

import (
	"context"
	"errors"

	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

var errBusy = errors.New("held elsewhere")

var compareAndDelete = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`)

// free deletes key if owner still holds it.
func free(ctx context.Context, rdb *redis.Client, key, owner string) error {
	n, err := compareAndDelete.Run(context.WithoutCancel(ctx), rdb, []string{key}, owner).Int()
	if err == nil && n == 0 {
		err = errors.New("lock was lost")
	}
	return err
}

// unlock gives a redsync mutex back.
func unlock(ctx context.Context, mutex *redsync.Mutex) error {
	ok, err := mutex.UnlockContext(context.WithoutCancel(ctx))
	if err == nil && !ok {
		err = errors.New("lock was lost")
	}
	return err
}
