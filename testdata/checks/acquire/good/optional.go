package good

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Coupons works without Redis, then without its lock: the lock is a convenience, and
// the statement below decides who redeems.
type Coupons struct {
	rdb *redis.Client
	db  *sql.DB
}

func (c *Coupons) lock(ctx context.Context, code string) bool {
	if c.rdb == nil {
		return true
	}
	ok, err := c.rdb.SetNX(ctx, "lock:coupon:"+code, "1", 10*time.Second).Result()
	if err != nil {
		return true // note: acquire
	}
	return ok
}

func (c *Coupons) unlock(ctx context.Context, code string) {
	if c.rdb != nil {
		c.rdb.Del(ctx, "lock:coupon:"+code) // want: release
	}
}

func (c *Coupons) Redeem(ctx context.Context, code, user string) error {
	if !c.lock(ctx, code) { // note: redundantlock // verdict: fenced
		return errors.New("busy")
	}
	defer c.unlock(ctx, code)
	res, err := c.db.ExecContext(ctx, "UPDATE coupons SET usr = $2 WHERE code = $1 AND usr IS NULL", code, user)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errors.New("redeemed already"))
	}
	return nil
}
