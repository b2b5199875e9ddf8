package redis

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: unknown
func Document(ctx context.Context, session *concurrency.Session, client *redis.Client, body, script string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := client.Eval(ctx, `local old = redis.call("GET", KEYS[1]) if old then local doc = cjson.decode(old) if doc.token >= tonumber(ARGV[2]) then return 0 end end redis.call("SET", KEYS[1], cjson.encode({body = ARGV[1], token = tonumber(ARGV[2])})) return 1`, []string{"doc"}, body, token).Int()
	if err == nil && n == 0 {
		err = errors.New("refused")
	}
	return err
}
