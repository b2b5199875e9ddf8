// Package bad draws fencing tokens from what can start anew.
package bad

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/hashicorp/consul/api"
	"github.com/redis/go-redis/v9"
)

var (
	errBusy  = errors.New("held elsewhere")
	errStale = errors.New("a newer holder has written")
)

var compareAndDelete = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`)

const price = "UPDATE price SET cents = $2, fence = $3 WHERE sku = $1 AND fence < $3"

// SetPrice tidies the counter away after an hour.
func SetPrice(ctx context.Context, rdb *redis.Client, db *sql.DB, sku string, cents int) error {
	me := rand.Text()
	ok, err := rdb.SetNX(ctx, "price:"+sku, me, time.Minute).Result() // verdict: fenced
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer compareAndDelete.Run(context.WithoutCancel(ctx), rdb, []string{"price:" + sku}, me)
	token, err := rdb.Incr(ctx, "price:"+sku+":fence").Result()
	if err != nil {
		return err
	}
	rdb.PExpire(ctx, "price:"+sku+":fence", time.Hour) // want: tokenreset
	return guarded(ctx, db, sku, cents, token)
}

func guarded(ctx context.Context, db *sql.DB, sku string, cents int, token int64) error {
	res, err := db.ExecContext(ctx, price, sku, cents, token)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errStale
	}
	return nil
}

// Consul counts the acquisitions of a key as long as the key is there.
func Consul(ctx context.Context, client *api.Client, db *sql.DB, session string) error {
	won, _, err := client.KV().Acquire(&api.KVPair{Key: "price/lock", Session: session}, nil) // want: tokenreset // verdict: fenced
	if err != nil {
		return err
	}
	if !won {
		return errBusy
	}
	defer client.KV().Release(&api.KVPair{Key: "price/lock", Session: session}, nil)
	pair, _, err := client.KV().Get("price/lock", nil)
	if err != nil {
		return err
	}
	return guarded(ctx, db, "x", 1, int64(pair.LockIndex))
}
