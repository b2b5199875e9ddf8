package good

import (
	"context"
	"log"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/hashicorp/consul/api"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Slots makes a new object for each turn.
func Slots(client *api.Client, stop <-chan struct{}, run func(lost <-chan struct{})) error {
	for {
		slots, err := client.SemaphorePrefix("slots", 3)
		if err != nil {
			return err
		}
		lost, err := slots.Acquire(stop) // verdict: unverified
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

// Run leaves its seat in another method.
func (c *Head) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := c.seat.Lock(); err != nil { // verdict: unverified
			time.Sleep(time.Second)
			continue
		}
		if err := c.work(); err != nil {
			log.Printf("chief: %v", err)
		}
		c.stepDown()
	}
}

func (c *Head) stepDown() {
	if err := c.seat.Unlock(); err != nil {
		log.Printf("chief: %v", err)
	}
}

// Warded is a lock with a session of its own.
type Warded struct {
	mu      *concurrency.Mutex
	session *concurrency.Session
}

// Ward makes one.
func Ward(ctx context.Context, client *clientv3.Client, key string) (*Warded, error) {
	s, err := concurrency.NewSession(client, concurrency.WithTTL(20))
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

// Free closes the session, which gives the lock back too.
func (g *Warded) Free(ctx context.Context) {
	if err := g.mu.Unlock(ctx); err != nil {
		log.Printf("free: %v", err)
	}
	shut(g.session)
}

func shut(s *concurrency.Session) {
	if err := s.Close(); err != nil {
		log.Printf("shut: %v", err)
	}
}

// Seated shares the session of its owner with other locks.
type Seated struct {
	mu      *concurrency.Mutex
	session *concurrency.Session
}

// Placed takes a lock on a session that is there.
func Placed(ctx context.Context, session *concurrency.Session) (*Seated, error) {
	s := &Seated{concurrency.NewMutex(session, "/seat"), session}
	return s, s.mu.Lock(ctx)
}

// Leave keeps the session for the next one.
func (s *Seated) Leave(ctx context.Context) error { return s.mu.Unlock(ctx) }
