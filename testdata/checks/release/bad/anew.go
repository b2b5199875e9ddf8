package bad

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-zookeeper/zk"
	"github.com/hashicorp/consul/api"
	"github.com/redis/go-redis/v9"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Locks by name, whose halves have nothing in common but that. What the one half took
// the other cannot give back, for it makes an object, or a value, of its own.

// Gate makes a mutex in each of its methods.
type Gate struct {
	rs   *redsync.Redsync
	opts []redsync.Option
}

// NewGate keeps options that tell no owner.
func NewGate(rs *redsync.Redsync) *Gate {
	return &Gate{rs: rs, opts: []redsync.Option{redsync.WithExpiry(time.Minute)}}
}

func (g *Gate) Shut(ctx context.Context, road string) error {
	return g.rs.NewMutex("gate:"+road, g.opts...).LockContext(ctx)
}

func (g *Gate) Open(ctx context.Context, road string) error {
	ok, err := g.rs.NewMutex("gate:"+road, g.opts...).UnlockContext(ctx) // want: release
	if err == nil && !ok {
		err = errors.New("gate was not shut")
	}
	return err
}

// Crossed uses both.
func Crossed(ctx context.Context, g *Gate, road string, cross func(context.Context) error) (err error) {
	if err := g.Shut(ctx, road); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Open(context.WithoutCancel(ctx), road)) }()
	return cross(ctx)
}

// Basin has a function of its own for what it makes anew.
type Basin struct{ session *concurrency.Session }

func (b *Basin) sluice(name string) *concurrency.Mutex {
	return concurrency.NewMutex(b.session, "/sluice/"+name)
}

func (b *Basin) Lock(ctx context.Context, name string) error { return b.sluice(name).Lock(ctx) }

func (b *Basin) Unlock(ctx context.Context, name string) error {
	m := b.sluice(name)
	return m.Unlock(ctx) // want: release
}

// Clinic is ZooKeeper's.
type Clinic struct{ conn *zk.Conn }

func (w *Clinic) Enter(bed string) error {
	return zk.NewLock(w.conn, "/ward/"+bed, zk.WorldACL(zk.PermAll)).Lock()
}

func (w *Clinic) Leave(bed string) error {
	l := zk.NewLock(w.conn, "/ward/"+bed, zk.WorldACL(zk.PermAll))
	return l.Unlock() // want: release
}

// Berth is Consul's.
type Berth struct{ client *api.Client }

func (b *Berth) Lock(stop <-chan struct{}, ship string) (<-chan struct{}, error) {
	l, err := b.client.LockKey("berth/" + ship)
	if err != nil {
		return nil, err
	}
	return l.Lock(stop)
}

func (b *Berth) Unlock(ship string) error {
	l, err := b.client.LockKey("berth/" + ship)
	if err != nil {
		return err
	}
	return l.Unlock() // want: release
}

var giveBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Stall stores a random value, and compares another.
type Stall struct{ rdb *redis.Client }

func (s *Stall) TryLock(ctx context.Context, horse string) (bool, error) {
	return s.rdb.SetNX(ctx, "lock:stall:"+horse, rand.Text(), time.Minute).Result()
}

func (s *Stall) Unlock(ctx context.Context, horse string) error {
	n, err := giveBack.Run(ctx, s.rdb, []string{"lock:stall:" + horse}, rand.Text()).Int() // want: release
	if err == nil && n == 0 {
		err = errors.New("stall was free")
	}
	return err
}

// padlock draws its id where it is made, like those of many programs.
type padlock struct {
	rdb     *redis.Client
	key, id string
}

func newPadlock(rdb *redis.Client, key string) *padlock {
	return &padlock{rdb: rdb, key: "padlock:" + key, id: rand.Text()}
}

func (p *padlock) lock(ctx context.Context) (bool, error) {
	return p.rdb.SetNX(ctx, p.key, p.id, time.Minute).Result()
}

func (p *padlock) unlock(ctx context.Context) error {
	n, err := giveBack.Run(ctx, p.rdb, []string{p.key}, p.id).Int()
	if err == nil && n == 0 {
		err = errors.New("not ours")
	}
	return err
}

// Shed makes one for each half.
type Shed struct{ rdb *redis.Client }

func (s *Shed) Lock(ctx context.Context, door string) (bool, error) {
	return newPadlock(s.rdb, door).lock(ctx)
}

func (s *Shed) Unlock(ctx context.Context, door string) error {
	return newPadlock(s.rdb, door).unlock(ctx) // want: release
}
