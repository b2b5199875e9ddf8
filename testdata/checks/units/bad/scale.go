package bad

import (
	"context"
	"crypto/rand"
	"errors"
	"math"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/gomodule/redigo/redis"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Millis gives etcd a thousand times what is meant.
func Millis(ctx context.Context, cli *clientv3.Client, ttl time.Duration, work func(context.Context) error) error {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(int(ttl.Milliseconds()))) // want: units
	if err != nil {
		return err
	}
	defer session.Close()
	m := concurrency.NewMutex(session, "/millis")
	if err := m.Lock(ctx); err != nil {
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	return watched(ctx, session, work)
}

func watched(ctx context.Context, session *concurrency.Session, work func(context.Context) error) error {
	held, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(session.Ctx(), cancel)()
	return work(held)
}

// Grants counts how many milliseconds there are.
type Grants struct {
	cli *clientv3.Client
	ttl time.Duration
}

func (g *Grants) grant(ctx context.Context) (clientv3.LeaseID, error) {
	lease, err := g.cli.Grant(ctx, int64(g.ttl/time.Millisecond)) // want: units
	if err != nil {
		return 0, err
	}
	return lease.ID, nil
}

// Hold puts a key with such a lease.
func (g *Grants) Hold(ctx context.Context, key string, work func(context.Context) error) error {
	lease, err := g.grant(ctx)
	if err != nil {
		return err
	}
	resp, err := g.cli.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).Then(clientv3.OpPut(key, "", clientv3.WithLease(lease))).Commit()
	if err != nil || !resp.Succeeded {
		return errors.Join(err, errors.New("held"))
	}
	defer g.cli.Revoke(context.WithoutCancel(ctx), lease)
	return work(ctx)
}

// Rounded counts seconds where Redis counts milliseconds: the lock lives for 15 of them.
func Rounded(ctx context.Context, conn redis.Conn, ttl time.Duration, work func(context.Context) error) error {
	me := rand.Text()
	reply, err := redis.String(conn.Do("SET", "rounded", me, "NX", "PX", int(math.Ceil(ttl.Seconds())))) // want: units
	if err != nil || reply != "OK" {
		return errors.Join(err, errors.New("held"))
	}
	defer conn.Do("EVAL", `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`, 1, "rounded", me)
	return work(ctx)
}

// Twice multiplies a duration by a unit.
type Twice struct {
	rs  *redsync.Redsync
	ttl time.Duration
}

// NewTwice sets two seconds.
func NewTwice(rs *redsync.Redsync) *Twice { return &Twice{rs: rs, ttl: 2 * time.Second} }

// Run is by an option of the library.
func (t *Twice) Run(ctx context.Context, work func(context.Context) error) error {
	m := t.rs.NewMutex("twice", redsync.WithExpiry(t.ttl*time.Second)) // want: units
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.UnlockContext(context.WithoutCancel(ctx))
	return work(ctx)
}
