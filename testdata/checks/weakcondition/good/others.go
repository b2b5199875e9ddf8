package good

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

var (
	numeric = redis.NewScript(`
-- a missing token counts as nought
local last = tonumber(redis.call("HGET", KEYS[1], "token")) or 0
local mine = tonumber(ARGV[2])
if last <= mine then
	redis.call("HSET", KEYS[1], "value", ARGV[1])
	redis.call("HSET", KEYS[1], "token", mine)
	return 1
else
	return 0
end`)

	refusing = redis.NewScript(`
local last = redis.call("GET", KEYS[2])
if last and tonumber(last) > tonumber(ARGV[2]) then
	return redis.error_reply("STALE")
end
redis.call("MSET", KEYS[1], ARGV[1], KEYS[2], ARGV[2])
return "OK"`)
)

// Numeric: both sides are numbers, and the token is stored.
func Numeric(ctx context.Context, session *concurrency.Session, rdb *redis.Client, key, value string) error {
	return withToken(ctx, session, "/locks/numeric", func(token int64) error { // verdict: fenced
		ok, err := numeric.Run(ctx, rdb, []string{key}, value, strconv.FormatInt(token, 10)).Bool()
		if err == nil && !ok {
			err = errStale
		}
		return err
	})
}

// Refusing: the rejection is an error, so Err tells it.
func Refusing(ctx context.Context, session *concurrency.Session, rdb *redis.Client, key, value string) error {
	return withToken(ctx, session, "/locks/refusing", func(token int64) error { // verdict: fenced
		return refusing.Run(ctx, rdb, []string{"{" + key + "}", "{" + key + "}:token"}, value, token).Err()
	})
}

// Succeeded is read where it decides.
func Succeeded(ctx context.Context, session *concurrency.Session, key, value string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/succeeded")
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	resp, err := session.Client().Txn(ctx).
		If(mutex.IsOwner()).
		Then(clientv3.OpPut(key, value)).
		Else(clientv3.OpGet(mutex.Key())).
		Commit()
	if err == nil && !resp.Succeeded {
		err = errStale
	}
	return err
}

// shelf is a resource of the program itself.
type shelf struct {
	mu    sync.RWMutex
	last  map[string]int64
	label string
	texts map[string]string
}

func (s *shelf) write(key, text string, token int64) (accepted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last, ok := s.last[key]; ok && last > token {
		return false
	}
	s.last[key] = token
	s.texts[key] = text
	return true
}

// writeLabel compares text that is padded to a fixed width.
func (s *shelf) writeLabel(key, text string, token int64) error {
	label := fmt.Sprintf("%020d", token)
	s.mu.Lock()
	defer s.mu.Unlock()
	if label >= s.label {
		s.label = label
		s.texts[key] = text
		return nil
	}
	return errStale
}

func Shelve(ctx context.Context, session *concurrency.Session, s *shelf, key, text string) error {
	return withToken(ctx, session, "/locks/shelf/"+key, func(token int64) error { // verdict: fenced
		if !s.write(key, text, token) {
			return errStale
		}
		return nil
	})
}

func ShelveLabel(ctx context.Context, session *concurrency.Session, s *shelf, key, text string) error {
	return withToken(ctx, session, "/locks/label/"+key, func(token int64) error { // verdict: fenced
		return s.writeLabel(key, text, token)
	})
}
