package bad

import (
	"context"
	"crypto/rand"
	"database/sql"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// fielded keeps who holds a shelf, and how often it was held, in one hash.
var fielded = goredis.NewScript(`
if redis.call("HSETNX", KEYS[1], "holder", ARGV[1]) == 0 then
	return 0
end
redis.call("EXPIRE", KEYS[1], ARGV[2])
return redis.call("HINCRBY", KEYS[1], "epoch", 1)`)

var unfielded = goredis.NewScript(`
if redis.call("HGET", KEYS[1], "holder") ~= ARGV[1] then
	return 0
end
return redis.call("HDEL", KEYS[1], "holder")`)

// Fielded lets the hash go, and the number with it.
func Fielded(ctx context.Context, rdb *goredis.Client, db *sql.DB, sku string, cents int) error {
	me, key := rand.Text(), "lock:shelf:"+sku
	n, err := fielded.Run(ctx, rdb, []string{key}, me, int(time.Minute.Seconds())).Int64() // want: tokenreset // verdict: fenced
	if err != nil {
		return err
	}
	if n == 0 {
		return errBusy
	}
	defer unfielded.Run(context.WithoutCancel(ctx), rdb, []string{key}, me)
	return guarded(ctx, db, sku, cents, n)
}
