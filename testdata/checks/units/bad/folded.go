package bad

import (
	"context"
	"errors"
	"time"

	"github.com/gomodule/redigo/redis"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

const watch = 20 * time.Second

var clear = redis.NewScript(1, `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Words take it for ages: the compiler makes one number of the conversion.
func Words(c redis.Conn, ship, me string, work func() error) error {
	if _, err := redis.String(c.Do("SET", "helm:"+ship, me, "NX", "PX", int64(watch))); err != nil { // want: units
		return err
	}
	defer clear.Do(c, "helm:"+ship, me)
	return work()
}

type Fleet struct {
	cli *clientv3.Client
}

// Session is refused, or lives for as many seconds as there are nanoseconds in twenty.
func (f *Fleet) Session(ctx context.Context, ship string, work func(context.Context) error) error {
	s, err := concurrency.NewSession(f.cli, concurrency.WithTTL(int(watch))) // want: units
	if err != nil {
		return err
	}
	defer s.Close()
	m := concurrency.NewMutex(s, "/helm/"+ship)
	if err := m.Lock(ctx); err != nil {
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	return work(s.Ctx())
}

// Granted asks for a lease by itself.
func (f *Fleet) Granted(ctx context.Context, ship string, work func(context.Context) error) error {
	lease, err := f.cli.Grant(ctx, int64(watch)) // want: units
	if err != nil {
		return err
	}
	defer f.cli.Revoke(context.WithoutCancel(ctx), lease.ID)
	key := "/helm/" + ship
	resp, err := f.cli.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).Then(clientv3.OpPut(key, "", clientv3.WithLease(lease.ID))).Commit()
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errors.New("somebody else steers")
	}
	return work(ctx)
}
