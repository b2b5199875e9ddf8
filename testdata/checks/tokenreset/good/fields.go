package good

import (
	"context"
	"crypto/rand"
	"database/sql"
	"time"

	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// reentered counts how often its holder is in, which ends with the lock.
var reentered = redis.NewScript(`
if redis.call("EXISTS", KEYS[1]) == 1 and redis.call("HEXISTS", KEYS[1], ARGV[1]) == 0 then
	return 0
end
local n = redis.call("HINCRBY", KEYS[1], ARGV[1], 1)
redis.call("PEXPIRE", KEYS[1], ARGV[2])
return n`)

// Reentered uses the count for nothing.
func Reentered(ctx context.Context, rdb *redis.Client, work func(context.Context) error) error {
	me := rand.Text()
	n, err := reentered.Run(ctx, rdb, []string{"lock:reentered"}, me, time.Minute.Milliseconds()).Int64()
	if err != nil || n == 0 {
		return err
	}
	defer rdb.HDel(context.WithoutCancel(ctx), "lock:reentered", me)
	return work(ctx)
}

// Counted keeps its counter apart from the lease.
func Counted(ctx context.Context, cli *clientv3.Client, sess *concurrency.Session, db *sql.DB, sku string, cents int) error {
	m := concurrency.NewMutex(sess, "/counted/"+sku)
	if err := m.Lock(ctx); err != nil { // note: tokenreset // verdict: fenced
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	answer, err := cli.Put(ctx, "/count/"+sku, "", clientv3.WithPrevKV())
	if err != nil {
		return err
	}
	n := int64(1)
	if answer.PrevKv != nil {
		n += answer.PrevKv.Version
	}
	res, err := db.ExecContext(ctx, price, sku, cents, n)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errStale
	}
	return nil
}
