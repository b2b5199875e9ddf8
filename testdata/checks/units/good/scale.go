package good

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/gomodule/redigo/redis"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Rounds converts to seconds, up.
func Rounds(ctx context.Context, cli *clientv3.Client, ttl time.Duration, exact bool, work func(context.Context) error) error {
	seconds := int((ttl + time.Second - 1) / time.Second)
	if exact {
		seconds = int(ttl.Milliseconds() / 1000)
	}
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(seconds))
	if err != nil {
		return err
	}
	defer session.Close()
	m := concurrency.NewMutex(session, "/rounds")
	if err := m.Lock(ctx); err != nil {
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	held, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(session.Ctx(), cancel)()
	return work(held)
}

// Precise counts milliseconds, by seconds.
func Precise(ctx context.Context, conn redis.Conn, ttl time.Duration, work func(context.Context) error) error {
	me := rand.Text()
	reply, err := redis.String(conn.Do("SET", "precise", me, "NX", "PX", int(ttl.Seconds()*1000)))
	if err != nil || reply != "OK" {
		return errors.Join(err, errors.New("held"))
	}
	defer conn.Do("EVAL", `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`, 1, "precise", me)
	return work(ctx)
}

// Number keeps a number of seconds under the wrong type, and makes it one where it is
// used.
type Number struct {
	rs  *redsync.Redsync
	ttl time.Duration
}

// NewNumber sets two, of what is said later.
func NewNumber(rs *redsync.Redsync) *Number { return &Number{rs: rs, ttl: 2} }

// Run multiplies once.
func (n *Number) Run(ctx context.Context, work func(context.Context) error) error {
	m := n.rs.NewMutex("number", redsync.WithExpiry(n.ttl*time.Second))
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.UnlockContext(context.WithoutCancel(ctx))
	return work(ctx)
}

// Third is a part of a duration.
func Third(ctx context.Context, rs *redsync.Redsync, work func(context.Context) error) error {
	const ttl = 30 * time.Second
	m := rs.NewMutex("third", redsync.WithExpiry(3*(ttl/2)))
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.UnlockContext(context.WithoutCancel(ctx))
	return work(ctx)
}

// Converted multiplies a number by a unit.
func Converted(ctx context.Context, rs *redsync.Redsync, seconds int64, work func(context.Context) error) error {
	m := rs.NewMutex("converted", redsync.WithExpiry(time.Duration(seconds)*time.Second))
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.UnlockContext(context.WithoutCancel(ctx))
	return work(ctx)
}
