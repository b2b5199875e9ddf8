// Package good counts refused writes and lost leases.
package good

import (
	"context"
	"database/sql"
	"errors"
	"expvar"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	errStale = errors.New("stale")
	refused  = expvar.NewInt("refused_writes")
)

var compareAndDelete = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
  return redis.call("DEL", KEYS[1])
end
return 0`)

func Guarded(ctx context.Context, rdb *redis.Client, db *sql.DB, page, me, text string) error {
	ok, err := rdb.SetNX(ctx, "lock:"+page, me, time.Minute).Result() // verdict: fenced
	if err != nil || !ok {
		return errors.Join(err, errors.New("held"))
	}
	defer compareAndDelete.Run(context.WithoutCancel(ctx), rdb, []string{"lock:" + page}, me)
	token, err := rdb.Incr(ctx, "fence:"+page).Result()
	if err != nil {
		return err
	}
	return write(ctx, db, page, text, token)
}

func write(ctx context.Context, db *sql.DB, page, text string, token int64) error {
	res, err := db.ExecContext(ctx, "UPDATE pages SET text = $2, token = $3 WHERE id = $1 AND token < $3", page, text, token)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		stale()
		return errors.Join(err, errStale)
	}
	return nil
}

func stale() { refused.Add(1) }
