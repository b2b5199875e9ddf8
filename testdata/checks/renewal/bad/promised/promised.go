// Package promised has lock objects that promise to tell when the lock is lost. Those who
// work under the locks wait for that, and nobody ever tells them: the wrappers end with
// their own release alone.
package promised

import (
	"context"
	"log"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Mill grinds until it is stopped.
type Mill interface {
	Grind(ctx context.Context, sack string) error
}

// Keys are kept in ZooKeeper.
type Keys struct{ conn *zk.Conn }

// Open writes down what becomes of the session.
func Open(servers []string) (*Keys, error) {
	conn, events, err := zk.Connect(servers, 10*time.Second)
	if err != nil {
		return nil, err
	}
	go func() {
		for e := range events {
			log.Print("session: ", e.State)
		}
	}()
	return &Keys{conn: conn}, nil
}

// Key is held until Drop.
type Key struct {
	lock *zk.Lock
	Gone chan struct{}
	once sync.Once
}

// Take waits for a key.
func (k *Keys) Take(name string) (*Key, error) {
	key := &Key{lock: zk.NewLock(k.conn, "/keys/"+name, zk.WorldACL(zk.PermAll)), Gone: make(chan struct{})}
	if err := key.lock.Lock(); err != nil { // want: renewal
		return nil, err
	}
	return key, nil
}

// Drop gives the key back.
func (k *Key) Drop() error {
	k.once.Do(func() { close(k.Gone) })
	return k.lock.Unlock()
}

// Flour waits for the end of its key, which nobody tells.
func Flour(ctx context.Context, keys *Keys, mill Mill, sack string) error {
	key, err := keys.Take(sack) // verdict: unverified
	if err != nil {
		return err
	}
	defer key.Drop()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-key.Gone:
			stop()
		case <-ctx.Done():
		}
	}()
	return mill.Grind(ctx, sack)
}

// Stone is a lock of etcd, with a context of its own.
type Stone struct {
	session *concurrency.Session
	mutex   *concurrency.Mutex
	ctx     context.Context
	end     context.CancelFunc
}

// Lay takes a stone.
func Lay(ctx context.Context, cli *clientv3.Client, name string) (*Stone, error) {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(20))
	if err != nil {
		return nil, err
	}
	s := &Stone{session: session, mutex: concurrency.NewMutex(session, "/stones/"+name)}
	if err := s.mutex.Lock(ctx); err != nil { // want: renewal
		session.Close()
		return nil, err
	}
	s.ctx, s.end = context.WithCancel(context.WithoutCancel(ctx))
	return s, nil
}

// Context ends with the stone.
func (s *Stone) Context() context.Context { return s.ctx }

// Lift gives the stone back.
func (s *Stone) Lift() {
	s.end()
	if err := s.mutex.Unlock(context.Background()); err != nil {
		log.Print(err)
	}
	s.session.Close()
}

// Oil waits for the end of a context that only Lift brings about.
func Oil(ctx context.Context, cli *clientv3.Client, mill Mill, sack string) error {
	stone, err := Lay(ctx, cli, sack) // verdict: unverified
	if err != nil {
		return err
	}
	defer stone.Lift()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		<-stone.Context().Done()
		stop()
	}()
	return mill.Grind(ctx, sack)
}
