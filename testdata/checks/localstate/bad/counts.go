package bad

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// Crowd lets everybody of this process in after the first one.
type Crowd struct {
	rdb    *redis.Client
	inside atomic.Int32
}

// Lock counts first.
func (c *Crowd) Lock(ctx context.Context, owner string) error {
	if c.inside.Add(1) > 1 {
		return nil // want: localstate
	}
	ok, err := c.rdb.SetNX(ctx, "lock:crowd", owner, time.Minute).Result()
	if err == nil && !ok {
		err = errBusy
	}
	if err != nil {
		c.inside.Add(-1)
		return err
	}
	return nil
}

// Unlock counts down.
func (c *Crowd) Unlock(ctx context.Context, owner string) error {
	if c.inside.Add(-1) > 0 {
		return nil
	}
	return drop.Run(context.WithoutCancel(ctx), c.rdb, []string{"lock:crowd"}, owner).Err()
}

// Depth may be locked again by who has it.
type Depth struct {
	rdb   *redis.Client
	mu    sync.Mutex
	depth int
}

// Lock goes one deeper.
func (d *Depth) Lock(ctx context.Context, owner string) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.depth >= 1 {
		d.depth++
		return true, nil // want: localstate
	}
	ok, err := d.rdb.SetNX(ctx, "lock:depth", owner, time.Minute).Result()
	if err != nil || !ok {
		return false, err
	}
	d.depth = 1
	return true, nil
}

// Unlock comes up again.
func (d *Depth) Unlock(ctx context.Context, owner string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.depth--; d.depth > 0 {
		return nil
	}
	return drop.Run(context.WithoutCancel(ctx), d.rdb, []string{"lock:depth"}, owner).Err()
}

// Known keeps its names in a map that goroutines share.
type Known struct {
	rdb   *redis.Client
	names sync.Map
}

// Lock asks the map.
func (k *Known) Lock(ctx context.Context, name, owner string) error {
	if _, ok := k.names.Load(name); ok {
		return nil // want: localstate
	}
	ok, err := k.rdb.SetNX(ctx, "lock:"+name, owner, time.Minute).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errors.New(name + " is held elsewhere")
	}
	k.names.Store(name, owner)
	return nil
}

// Unlock forgets the name.
func (k *Known) Unlock(ctx context.Context, name, owner string) error {
	k.names.Delete(name)
	return drop.Run(context.WithoutCancel(ctx), k.rdb, []string{"lock:" + name}, owner).Err()
}
