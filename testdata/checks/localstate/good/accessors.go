package good

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Desks counts whom it let in behind methods of its own; what it asks is something else.
type Desks struct {
	rdb *redis.Client

	mu     sync.RWMutex
	seated int
	open   map[string]bool
}

// free reports whether nobody needs a seat there.
func (d *Desks) free(name string) bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.open[name]
}

func (d *Desks) count() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seated++
}

// Sit needs no lock where seats are free.
func (d *Desks) Sit(ctx context.Context, name, owner string) (leave func() error, err error) {
	if d.free(name) {
		return func() error { return nil }, nil
	}
	ok, err := d.rdb.SetNX(ctx, "lock:desk:"+name, owner, time.Minute).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errBusy
	}
	d.count()
	return func() error {
		n, err := drop.Run(context.WithoutCancel(ctx), d.rdb, []string{"lock:desk:" + name}, owner).Int()
		if err == nil && n == 0 {
			err = errors.New("too late")
		}
		return err
	}, nil
}
