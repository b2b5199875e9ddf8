// Package promised has lock objects that tell when the lock is lost, for their wrappers
// listen to the session.
package promised

import (
	"context"
	"log"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"
)

// Mill grinds until it is stopped.
type Mill interface {
	Grind(ctx context.Context, sack string) error
}

// Keys are kept in ZooKeeper.
type Keys struct {
	conn *zk.Conn
	mu   sync.Mutex
	out  map[*Key]bool
}

// Open ends all keys with the session.
func Open(servers []string) (*Keys, error) {
	conn, events, err := zk.Connect(servers, 10*time.Second)
	if err != nil {
		return nil, err
	}
	k := &Keys{conn: conn, out: make(map[*Key]bool)}
	go k.listen(events)
	return k, nil
}

func (k *Keys) listen(events <-chan zk.Event) {
	for e := range events {
		log.Print("session: ", e.State)
		if e.State == zk.StateExpired || e.State == zk.StateDisconnected {
			k.mu.Lock()
			for key := range k.out {
				key.end()
			}
			clear(k.out)
			k.mu.Unlock()
		}
	}
}

// Key is held until Drop.
type Key struct {
	keys *Keys
	lock *zk.Lock
	gone chan struct{}
	once sync.Once
}

// Take waits for a key.
func (k *Keys) Take(name string) (*Key, error) {
	key := &Key{keys: k, lock: zk.NewLock(k.conn, "/keys/"+name, zk.WorldACL(zk.PermAll)), gone: make(chan struct{})}
	k.mu.Lock()
	k.out[key] = true
	k.mu.Unlock()
	if err := key.lock.Lock(); err != nil {
		key.forget()
		return nil, err
	}
	return key, nil
}

func (k *Key) end() { k.once.Do(func() { close(k.gone) }) }

func (k *Key) forget() {
	k.keys.mu.Lock()
	delete(k.keys.out, k)
	k.keys.mu.Unlock()
	k.end()
}

// Gone is closed when the key is lost.
func (k *Key) Gone() <-chan struct{} { return k.gone }

// Drop gives the key back.
func (k *Key) Drop() error {
	k.forget()
	return k.lock.Unlock()
}

// Flour stops when the key is lost.
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
		case <-key.Gone():
			stop()
		case <-ctx.Done():
		}
	}()
	return mill.Grind(ctx, sack)
}
