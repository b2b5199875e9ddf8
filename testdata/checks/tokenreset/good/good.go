// Package good draws tokens that only grow. Other keys may expire.
package good

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

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

// SetPrice lets the counter live; the number of tries is forgotten.
func SetPrice(ctx context.Context, rdb *redis.Client, db *sql.DB, sku string, cents int) error {
	me := rand.Text()
	ok, err := rdb.SetNX(ctx, "price:"+sku, me, time.Minute).Result() // verdict: unfenced
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
	if err := rdb.Incr(ctx, "price:"+sku+":tries").Err(); err != nil { // want: unfenced
		return err
	}
	rdb.Expire(ctx, "price:"+sku+":tries", time.Hour)
	res, err := db.ExecContext(ctx, price, sku, cents, token)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errStale
	}
	return nil
}
