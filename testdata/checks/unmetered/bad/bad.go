// Package bad fences and renews, and would not notice how often that matters.
package bad

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

var errStale = errors.New("stale")

var compareAndDelete = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
  return redis.call("DEL", KEYS[1])
end
return 0`)

func Guarded(ctx context.Context, rdb *redis.Client, db *sql.DB, page, me, text string) error {
	ok, err := rdb.SetNX(ctx, "lock:"+page, me, time.Minute).Result() // note: unmetered // verdict: fenced
	if err != nil || !ok {
		return errors.Join(err, errors.New("held"))
	}
	defer compareAndDelete.Run(context.WithoutCancel(ctx), rdb, []string{"lock:" + page}, me)
	token, err := rdb.Incr(ctx, "fence:"+page).Result()
	if err != nil {
		return err
	}
	res, err := db.ExecContext(ctx, "UPDATE pages SET text = $2, token = $3 WHERE id = $1 AND token < $3", page, text, token)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errStale)
	}
	return nil
}
