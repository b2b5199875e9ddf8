// Redis: a script, or WATCH.
package redis

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, client *redis.Client, body, script string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	ok, err := client.Eval(ctx, `local last = tonumber(redis.call("GET", KEYS[2]) or "0") if last >= tonumber(ARGV[2]) then return 0 end redis.call("SET", KEYS[2], ARGV[2]) redis.call("SET", KEYS[1], ARGV[1]) return 1`, []string{"{doc}:body", "{doc}:token"}, body, token).Int()
	if err == nil && ok == 0 {
		err = errors.New("refused")
	}
	return err
}

// cell: owner
func OwnerFenced(ctx context.Context, client *redis.Client, body, script string) error {
	id := rand.Text()
	ok, err := client.SetNX(ctx, "{doc}:lock", id, time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	defer client.Eval(context.WithoutCancel(ctx), `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`, []string{"{doc}:lock"}, id)
	n, err := client.Eval(ctx, `if redis.call("GET", KEYS[2]) == ARGV[2] then redis.call("SET", KEYS[1], ARGV[1]) return 1 end return 0`, []string{"{doc}:body", "{doc}:lock"}, body, id).Int()
	if err == nil && n == 0 {
		err = errors.New("refused")
	}
	return err
}

// cell: version
func Version(ctx context.Context, session *concurrency.Session, client *redis.Client, body, script string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return client.Watch(ctx, func(tx *redis.Tx) error {
		old, err := tx.Get(ctx, "{doc}:body").Result()
		if err != nil {
			return err
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Set(ctx, "{doc}:body", old+body, 0)
			return nil
		})
		return err
	}, "{doc}:body")
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, client *redis.Client, body, script string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return client.Set(ctx, "{doc}:body", body, 0).Err()
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, client *redis.Client, body, script string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	ok, err := client.Eval(ctx, `local last = tonumber(redis.call("GET", KEYS[2]) or "0") if last < tonumber(ARGV[2]) then return 0 end redis.call("SET", KEYS[2], ARGV[2]) redis.call("SET", KEYS[1], ARGV[1]) return 1`, []string{"{doc}:body", "{doc}:token"}, body, token).Int()
	if err == nil && ok == 0 {
		err = errors.New("refused")
	}
	return err
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, client *redis.Client, body, script string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	ok, err := client.Eval(ctx, `local last = (redis.call("GET", KEYS[2]) or "") if last >= ARGV[2] then return 0 end redis.call("SET", KEYS[2], ARGV[2]) redis.call("SET", KEYS[1], ARGV[1]) return 1`, []string{"{doc}:body", "{doc}:token"}, body, id).Int()
	if err == nil && ok == 0 {
		err = errors.New("refused")
	}
	return err
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, client *redis.Client, body, script string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	ok, err := client.Eval(ctx, `local last = tonumber(redis.call("GET", KEYS[2]) or "0") if last >= tonumber(ARGV[2]) then return 0 end redis.call("SET", KEYS[1], ARGV[1]) return 1`, []string{"{doc}:body", "{doc}:token"}, body, token).Int()
	if err == nil && ok == 0 {
		err = errors.New("refused")
	}
	return err
}

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, client *redis.Client, body, script string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	last, err := client.Get(ctx, "{doc}:token").Int64()
	if err != nil {
		return err
	}
	if last >= token {
		return errors.New("refused")
	}
	if err := client.Set(ctx, "{doc}:token", token, 0).Err(); err != nil {
		return err
	}
	return client.Set(ctx, "{doc}:body", body, 0).Err()
}

// cell: token, result dropped
func Dropped(ctx context.Context, session *concurrency.Session, client *redis.Client, body, script string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return client.Eval(ctx, `local last = tonumber(redis.call("GET", KEYS[2]) or "0") if last >= tonumber(ARGV[2]) then return 0 end redis.call("SET", KEYS[2], ARGV[2]) redis.call("SET", KEYS[1], ARGV[1]) return 1`, []string{"{doc}:body", "{doc}:token"}, body, token).Err()
}

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, client *redis.Client, body, script string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	ok, err := client.EvalSha(ctx, script, []string{"{doc}:body", "{doc}:token"}, body, token).Int()
	if err == nil && ok == 0 {
		err = errors.New("refused")
	}
	return err
}
