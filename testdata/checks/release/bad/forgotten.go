package bad

import (
	"context"
	"log"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/hashicorp/consul/api"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Objects that stay locked, and sessions that stay alive, when the section is over.

// Slots waits until a slot is lost, and asks for the next one with it still in hand.
func Slots(client *api.Client, stop <-chan struct{}, run func(lost <-chan struct{})) error {
	slots, err := client.SemaphorePrefix("slots", 3)
	if err != nil {
		return err
	}
	for {
		lost, err := slots.Acquire(stop) // want: release
		if err != nil {
			return err
		}
		if lost == nil {
			return nil
		}
		run(lost)
	}
}

// Head leads whenever it can.
type Head struct {
	seat *zk.Lock
	work func() error
}

// NewHead takes part.
func NewHead(conn *zk.Conn, work func() error) *Head {
	return &Head{zk.NewLock(conn, "/chief", zk.WorldACL(zk.PermAll)), work}
}

// Run gives up its work after an error, but not its seat.
func (c *Head) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := c.seat.Lock(); err != nil { // want: release // verdict: unverified
			time.Sleep(time.Second)
			continue
		}
		if err := c.work(); err != nil {
			log.Printf("chief: %v", err)
		}
	}
}

// Warded is a lock with a session of its own.
type Warded struct {
	mu      *concurrency.Mutex
	session *concurrency.Session
}

// Ward makes one.
func Ward(ctx context.Context, client *clientv3.Client, key string) (*Warded, error) {
	s, err := begin(client) // want: release
	if err != nil {
		return nil, err
	}
	g := &Warded{session: s, mu: concurrency.NewMutex(s, key)}
	if err := g.mu.TryLock(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return g, nil
}

func begin(client *clientv3.Client) (*concurrency.Session, error) {
	return concurrency.NewSession(client, concurrency.WithTTL(20))
}

// Free forgets the session.
func (g *Warded) Free(ctx context.Context) {
	if err := g.mu.Unlock(ctx); err != nil {
		log.Printf("free: %v", err)
	}
}
