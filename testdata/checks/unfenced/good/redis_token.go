package good

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// acquireScript takes the lock and draws its token in one step; the counter never expires.
var acquireScript = redis.NewScript(`
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
	return redis.call("INCR", KEYS[2])
end
return 0`)

// writeScript keeps the value and the token beside each other in one hash.
var writeScript = redis.NewScript(`
local last = tonumber(redis.call("HGET", KEYS[1], "token") or "0")
if tonumber(ARGV[2]) < last then
	return 0
end
redis.call("HSET", KEYS[1], "value", ARGV[1], "token", ARGV[2])
return 1`)

func put(ctx context.Context, rdb *redis.Client, key, value string, token int64) error {
	n, err := writeScript.Run(ctx, rdb, []string{key}, value, token).Int()
	if err == nil && n == 0 {
		err = errStale
	}
	return err
}

// SaveDraft: token and comparison are both Lua.
func SaveDraft(ctx context.Context, rdb *redis.Client, id, text string) (err error) {
	key, owner := "{draft:"+id+"}:lock", rand.Text()
	token, err := acquireScript.Run(ctx, rdb, []string{key, "{draft:" + id + "}:fence"}, owner, 10_000).Int64() // verdict: fenced
	if err != nil {
		return err
	}
	if token == 0 {
		return errBusy
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, key, owner)) }()
	return put(ctx, rdb, "{draft:"+id+"}:data", text, token)
}

// SaveQuote draws the token with its own command after the lock was taken.
func SaveQuote(ctx context.Context, rdb *redis.Client, id, text string) (err error) {
	owner := rand.Text()
	ok, err := rdb.SetNX(ctx, "lock:quote:"+id, owner, 10*time.Second).Result() // verdict: fenced
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, "lock:quote:"+id, owner)) }()

	// doubt: a holder that stalls between the two commands draws a token greater than its successor's
	token, err := rdb.Incr(ctx, "fence:quote:"+id).Result()
	if err != nil {
		return err
	}
	return put(ctx, rdb, "quote:"+id, text, token)
}

// SaveOffer takes its token from a sequence of the database that it writes to.
func SaveOffer(ctx context.Context, locks *redislock.Client, db *sql.DB, id, text string) (err error) {
	lock, err := locks.Obtain(ctx, "lock:offer:"+id, 10*time.Second, nil) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	var token int64
	if err := db.QueryRowContext(ctx, "SELECT nextval('offer_fence')").Scan(&token); err != nil {
		return err
	}
	const set = "UPDATE offer SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
	return one(db.ExecContext(ctx, set, id, text, token))
}
