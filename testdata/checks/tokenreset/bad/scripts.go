package bad

import (
	"context"
	"crypto/rand"
	"database/sql"
	"time"

	"github.com/gomodule/redigo/redis"
	goredis "github.com/redis/go-redis/v9"
)

// numbered answers with two values, and lets the counter go after an hour.
var numbered = goredis.NewScript(`
if not redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
	return {0, 0}
end
local n = redis.call("INCR", KEYS[2])
redis.call("EXPIRE", KEYS[2], 3600)
return {1, n}`)

// Pair takes the lock and draws the token in one script.
func Pair(ctx context.Context, rdb *goredis.Client, db *sql.DB, sku string, cents int) error {
	me := rand.Text()
	answer, err := numbered.Run(ctx, rdb, []string{"sku:" + sku, "sku:" + sku + ":fence"}, me, time.Minute.Milliseconds()).Int64Slice() // want: tokenreset // verdict: fenced
	if err != nil {
		return err
	}
	if answer[0] == 0 {
		return errBusy
	}
	defer compareAndDelete.Run(context.WithoutCancel(ctx), rdb, []string{"sku:" + sku}, me)
	return guarded(ctx, db, sku, cents, answer[1])
}

var counted = redis.NewScript(2, `
if redis.call("EXISTS", KEYS[1]) == 1 then
	return 0
end
redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
local n = redis.call("INCR", KEYS[2])
if n == 1 then
	redis.call("PEXPIRE", KEYS[2], 86400000)
end
return n`)

var freed = redis.NewScript(1, `
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`)

// Redigo sends the like by another client.
func Redigo(ctx context.Context, conn redis.Conn, db *sql.DB, sku string, cents int) error {
	me := rand.Text()
	n, err := redis.Int64(counted.Do(conn, "sku:"+sku, "sku:"+sku+":fence", me, 30000)) // want: tokenreset // verdict: fenced
	if err != nil {
		return err
	}
	if n == 0 {
		return errBusy
	}
	defer freed.Do(conn, "sku:"+sku, me)
	return guarded(ctx, db, sku, cents, n)
}

var drawn = goredis.NewScript(`
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
	return redis.call("INCR", KEYS[2])
end
return 0`)

var tidied = goredis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1], KEYS[2])
end
return 0`)

type ticket struct {
	rdb          *goredis.Client
	name, number string
	me           string
	Number       int64
}

func draw(ctx context.Context, rdb *goredis.Client, sku string) (*ticket, error) {
	t := &ticket{rdb: rdb, name: "ticket:" + sku, number: "ticket:" + sku + ":number", me: rand.Text()}
	n, err := drawn.Run(ctx, rdb, []string{t.name, t.number}, t.me, time.Minute.Milliseconds()).Int64()
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, errBusy
	}
	t.Number = n
	return t, nil
}

// throwAway deletes the counter with the lock.
func (t *ticket) throwAway(ctx context.Context) error {
	return tidied.Run(ctx, t.rdb, []string{t.name, t.number}, t.me).Err() // want: tokenreset
}

func Tidied(ctx context.Context, rdb *goredis.Client, db *sql.DB, sku string, cents int) error {
	t, err := draw(ctx, rdb, sku) // verdict: fenced
	if err != nil {
		return err
	}
	defer t.throwAway(context.WithoutCancel(ctx))
	return guarded(ctx, db, sku, cents, t.Number)
}

// Forgotten deletes the counter once the lock is free.
func Forgotten(ctx context.Context, rdb *goredis.Client, db *sql.DB, sku string, cents int) error {
	t, err := draw(ctx, rdb, sku) // verdict: fenced
	if err != nil {
		return err
	}
	err = guarded(ctx, db, sku, cents, t.Number)
	compareAndDelete.Run(context.WithoutCancel(ctx), rdb, []string{t.name}, t.me)
	if err != nil {
		return err
	}
	return rdb.Del(ctx, t.number).Err() // want: tokenreset
}
