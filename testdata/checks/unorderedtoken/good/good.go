// Package good compares tokens that grow with every grant, and uses random ids for what they are good for.
package good

import (
	"context"
	"database/sql"
	"errors"

	"github.com/redis/go-redis/v9"
)

var (
	errBusy  = errors.New("held elsewhere")
	errLost  = errors.New("lock was lost")
	errStale = errors.New("written under a newer lock")
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

// one takes a statement that has changed no row for a rejected one.
func one(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		err = errStale
	}
	return err
}
