package bad

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Desks remembers the names that it has taken behind methods of its own.
type Desks struct {
	rdb *redis.Client

	mu   sync.RWMutex
	mine map[string]string
}

func (d *Desks) owner(name string) (string, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	owner, ok := d.mine[name]
	return owner, ok
}

func (d *Desks) note(name, owner string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mine[name] = owner
}

// Sit answers from memory.
func (d *Desks) Sit(ctx context.Context, name, owner string) (leave func() error, err error) {
	if _, ok := d.owner(name); ok {
		return func() error { return nil }, nil // want: localstate
	}
	ok, err := d.rdb.SetNX(ctx, "lock:desk:"+name, owner, time.Minute).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errBusy
	}
	d.note(name, owner)
	return func() error {
		n, err := drop.Run(context.WithoutCancel(ctx), d.rdb, []string{"lock:desk:" + name}, owner).Int()
		if err == nil && n == 0 {
			err = errors.New("too late")
		}
		return err
	}, nil
}
