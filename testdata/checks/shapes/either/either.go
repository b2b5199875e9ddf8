// Package either takes its locks from one of two stores, as the configuration says, and keeps
// those of several shelves in a map.
package either

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// A Bolt keeps others from a shelf.
type Bolt interface {
	Lock(ctx context.Context) error
	Unlock(ctx context.Context) error
}

// Bolts makes them.
type Bolts interface {
	Bolt(shelf string) (Bolt, error)
}

// Etcd keeps the lease alive.
type Etcd struct{ cli *clientv3.Client }

func (e *Etcd) Bolt(shelf string) (Bolt, error) {
	session, err := concurrency.NewSession(e.cli)
	if err != nil {
		return nil, err
	}
	return &etcdBolt{session: session, mutex: concurrency.NewMutex(session, "/shelf/"+shelf)}, nil
}

type etcdBolt struct {
	session *concurrency.Session
	mutex   *concurrency.Mutex
}

func (b *etcdBolt) Lock(ctx context.Context) error { return b.mutex.Lock(ctx) }

func (b *etcdBolt) Unlock(ctx context.Context) error {
	return errors.Join(b.mutex.Unlock(ctx), b.session.Close())
}

// Redis does not.
type Redis struct{ rdb *redis.Client }

func (r *Redis) Bolt(shelf string) (Bolt, error) {
	return &redisBolt{rdb: r.rdb, key: "shelf:" + shelf, life: 20 * time.Second}, nil
}

type redisBolt struct {
	rdb  *redis.Client
	key  string
	mine string
	life time.Duration
}

func (b *redisBolt) Lock(ctx context.Context) error {
	mine := rand.Text()
	ok, err := b.rdb.SetNX(ctx, b.key, mine, b.life).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("the shelf is bolted")
	}
	b.mine = mine
	return nil
}

var unbolt = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func (b *redisBolt) Unlock(ctx context.Context) error {
	return unbolt.Run(ctx, b.rdb, []string{b.key}, b.mine).Err()
}

// Open chooses the store.
func Open(cli *clientv3.Client, rdb *redis.Client) Bolts {
	if cli != nil {
		return &Etcd{cli: cli}
	}
	return &Redis{rdb: rdb}
}

// An Archive has shelves.
type Archive struct {
	bolts Bolts
	db    *sql.DB
}

func (a *Archive) bolt(ctx context.Context, shelf string) (Bolt, error) {
	b, err := a.bolts.Bolt(shelf)
	if err != nil {
		return nil, err
	}
	return b, b.Lock(ctx)
}

// with bolts shelves while f runs.
func (a *Archive) with(ctx context.Context, shelves []string, f func(context.Context) error) error {
	taken := map[string]Bolt{}
	defer func() {
		for _, b := range taken {
			_ = b.Unlock(context.WithoutCancel(ctx))
		}
	}()
	for _, shelf := range shelves {
		b, err := a.bolt(ctx, shelf)
		if err != nil {
			return err
		}
		taken[shelf] = b
	}
	return f(ctx)
}

// Label numbers the boxes of shelves.
func (a *Archive) Label(ctx context.Context, shelves []string) error {
	return a.with(ctx, shelves, func(ctx context.Context) error { // note: longsection // verdict: unfenced // lock: shelf:%s -
		for i, shelf := range shelves {
			if _, err := a.db.ExecContext(ctx, "UPDATE shelves SET number = $1 WHERE name = $2", i, shelf); err != nil { // want: unfenced
				return err
			}
		}
		return nil
	})
}
