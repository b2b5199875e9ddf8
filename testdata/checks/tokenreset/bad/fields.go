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

// Pantry hands its number out in a context.
type Pantry struct{ rdb *goredis.Client }

type turnKey struct{}

var turned = goredis.NewScript(`
if redis.call("HEXISTS", KEYS[1], "who") == 1 then
	return 0
end
redis.call("HSET", KEYS[1], "who", ARGV[1])
local turn = redis.call("HINCRBY", KEYS[1], "turn", 1)
redis.call("PEXPIRE", KEYS[1], ARGV[2])
return turn`)

func (p Pantry) enter(ctx context.Context, name string) (context.Context, func() error, error) {
	me, keys := rand.Text(), []string{"lock:pantry:" + name}
	turn, err := turned.Run(ctx, p.rdb, keys, me, time.Minute.Milliseconds()).Int64() // want: tokenreset
	if err != nil {
		return ctx, nil, err
	}
	if turn == 0 {
		return ctx, nil, errBusy
	}
	leave := func() error {
		const give = `if redis.call("HGET", KEYS[1], "who") ~= ARGV[1] then return 0 end
return redis.call("HDEL", KEYS[1], "who")`
		return p.rdb.Eval(context.WithoutCancel(ctx), give, keys, me).Err()
	}
	return context.WithValue(ctx, turnKey{}, turn), leave, nil
}

// Price compares the turn, which starts anew when the pantry was empty for a minute.
func (p Pantry) Price(ctx context.Context, db *sql.DB, sku string, cents int) error {
	ctx, leave, err := p.enter(ctx, sku) // verdict: fenced
	if err != nil {
		return err
	}
	defer leave()
	turn, _ := ctx.Value(turnKey{}).(int64)
	return guarded(ctx, db, sku, cents, turn)
}
