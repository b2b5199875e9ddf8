package good

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// numbered answers with two values; what ends is the number of tries.
var numbered = redis.NewScript(`
local tries = redis.call("INCR", KEYS[3])
redis.call("EXPIRE", KEYS[3], 3600)
if not redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
	return {0, 0, tries}
end
local n = redis.call("INCR", KEYS[2])
return {1, n, tries}`)

// Pair takes the lock and draws the token in one script.
func Pair(ctx context.Context, rdb *redis.Client, db *sql.DB, sku string, cents int) error {
	me := rand.Text()
	keys := []string{"sku:" + sku, "sku:" + sku + ":fence", "sku:" + sku + ":attempts"}
	answer, err := numbered.Run(ctx, rdb, keys, me, time.Minute.Milliseconds()).Int64Slice() // verdict: fenced
	if err != nil {
		return err
	}
	if answer[0] == 0 {
		return errBusy
	}
	defer compareAndDelete.Run(context.WithoutCancel(ctx), rdb, keys[:1], me)
	res, err := db.ExecContext(ctx, price, sku, cents, answer[1])
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errStale
	}
	return nil
}

// Tries compares the number of tries, which is no token.
func Tries(ctx context.Context, rdb *redis.Client, db *sql.DB, sku string, cents int) (err error) {
	me := rand.Text()
	keys := []string{"try:" + sku, "try:" + sku + ":fence", "try:" + sku + ":attempts"}
	answer, err := numbered.Run(ctx, rdb, keys, me, time.Minute.Milliseconds()).Int64Slice() // verdict: unverified
	if err != nil {
		return err
	}
	if answer[0] == 0 {
		return errBusy
	}
	defer func() {
		err = errors.Join(err, compareAndDelete.Run(context.WithoutCancel(ctx), rdb, keys[:1], me).Err(), rdb.Del(ctx, keys[2]).Err())
	}()
	_, err = db.ExecContext(ctx, price, sku, cents, answer[0])
	return err
}
