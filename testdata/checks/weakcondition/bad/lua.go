package bad

import (
	"context"

	"github.com/redis/go-redis/v9"
	"go.etcd.io/etcd/client/v3/concurrency"
)

var (
	// textual compares strings: "9" is greater than "10".
	textual = redis.NewScript(`
local last = redis.call("HGET", KEYS[1], "token") or "0"
if ARGV[2] < last then
	return 0
end
redis.call("HSET", KEYS[1], "value", ARGV[1], "token", ARGV[2])
return 1`)

	// forgetful never stores the token.
	forgetful = redis.NewScript(`
local last = tonumber(redis.call("HGET", KEYS[1], "token") or "0")
if tonumber(ARGV[2]) < last then
	return 0
end
redis.call("HSET", KEYS[1], "value", ARGV[1])
return 1`)

	// inverted lets the smaller token in.
	inverted = redis.NewScript(`
local last = tonumber(redis.call("GET", KEYS[2]) or "0")
if tonumber(ARGV[2]) > last then
	return 0
end
redis.call("SET", KEYS[1], ARGV[1])
redis.call("SET", KEYS[2], ARGV[2])
return 1`)

	// hasty stores before it compares.
	hasty = redis.NewScript(`
redis.call("SET", KEYS[2], ARGV[2])
if tonumber(ARGV[2]) < tonumber(redis.call("GET", KEYS[2])) then
	return 0
end
redis.call("SET", KEYS[1], ARGV[1])
return 1`)

	// firstField keeps the token of whoever came first, for good.
	firstField = redis.NewScript(`
local seen = tonumber(redis.call("HGET", KEYS[1], "fence") or "0")
if seen > tonumber(ARGV[2]) then
	return 0
end
redis.call("HSETNX", KEYS[1], "fence", ARGV[2])
redis.call("HSET", KEYS[1], "value", ARGV[1])
return 1`)

	// firstKey does so under a key of its own.
	firstKey = redis.NewScript(`
local seen = tonumber(redis.call("GET", KEYS[2]) or "0")
if seen > tonumber(ARGV[2]) then
	return 0
end
redis.call("SET", KEYS[2], ARGV[2], "NX")
redis.call("SET", KEYS[1], ARGV[1])
return 1`)

	// sound is right; its answer must be read.
	sound = redis.NewScript(`
if tonumber(ARGV[2]) < tonumber(redis.call("GET", KEYS[2]) or "0") then
	return 0
end
redis.call("SET", KEYS[1], ARGV[1])
redis.call("SET", KEYS[2], ARGV[2])
return 1`)
)

func Textual(ctx context.Context, session *concurrency.Session, rdb *redis.Client, key, value string) error {
	return withToken(ctx, session, "/locks/textual", func(token int64) error { // verdict: unfenced
		n, err := textual.Run(ctx, rdb, []string{key}, value, token).Int() // want: weakcondition
		if err == nil && n == 0 {
			err = errStale
		}
		return err
	})
}

func Forgetful(ctx context.Context, session *concurrency.Session, rdb *redis.Client, key, value string) error {
	return withToken(ctx, session, "/locks/forgetful", func(token int64) error { // verdict: unfenced
		n, err := forgetful.Run(ctx, rdb, []string{key}, value, token).Int() // want: weakcondition
		if err == nil && n == 0 {
			err = errStale
		}
		return err
	})
}

func FirstField(ctx context.Context, session *concurrency.Session, rdb *redis.Client, key, value string) error {
	return withToken(ctx, session, "/locks/first-field", func(token int64) error { // verdict: unfenced
		n, err := firstField.Run(ctx, rdb, []string{key}, value, token).Int() // want: weakcondition
		if err == nil && n == 0 {
			err = errStale
		}
		return err
	})
}

func FirstKey(ctx context.Context, session *concurrency.Session, rdb *redis.Client, key, value string) error {
	return withToken(ctx, session, "/locks/first-key", func(token int64) error { // verdict: unfenced
		n, err := firstKey.Run(ctx, rdb, []string{key, key + ":fence"}, value, token).Int() // want: weakcondition
		if err == nil && n == 0 {
			err = errStale
		}
		return err
	})
}

func Inverted(ctx context.Context, session *concurrency.Session, rdb *redis.Client, key, value string) error {
	return withToken(ctx, session, "/locks/inverted", func(token int64) error { // verdict: unfenced
		n, err := inverted.Run(ctx, rdb, []string{key, key + ":token"}, value, token).Int() // want: weakcondition
		if err == nil && n == 0 {
			err = errStale
		}
		return err
	})
}

func Hasty(ctx context.Context, session *concurrency.Session, rdb *redis.Client, key, value string) error {
	return withToken(ctx, session, "/locks/hasty", func(token int64) error { // verdict: unfenced
		n, err := hasty.Run(ctx, rdb, []string{key, key + ":token"}, value, token).Int() // want: weakcondition
		if err == nil && n == 0 {
			err = errStale
		}
		return err
	})
}

func Unanswered(ctx context.Context, session *concurrency.Session, rdb *redis.Client, key, value string) error {
	return withToken(ctx, session, "/locks/unanswered", func(token int64) error { // verdict: unfenced
		return sound.Run(ctx, rdb, []string{key, key + ":token"}, value, token).Err() // want: weakcondition
	})
}
