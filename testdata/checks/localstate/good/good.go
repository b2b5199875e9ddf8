// Package good asks the store, or has a reason not to.
package good

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

var drop = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

var errBusy = errors.New("held elsewhere")

// Refreshed asks the store although it remembers the lease.
type Refreshed struct {
	locker *redislock.Client
	leases map[string]*redislock.Lock
}

// Lock refreshes what it has.
func (r *Refreshed) Lock(ctx context.Context, name string) error {
	if lease, ok := r.leases[name]; ok {
		return lease.Refresh(ctx, time.Minute, nil)
	}
	lease, err := r.locker.Obtain(ctx, name, time.Minute, nil)
	if errors.Is(err, redislock.ErrNotObtained) {
		return errBusy
	}
	if err != nil {
		return err
	}
	r.leases[name] = lease
	return nil
}

// Switch can be turned off.
type Switch struct {
	rdb *redis.Client
	off bool
}

// Lock needs no lock where there is one instance only.
func (s *Switch) Lock(ctx context.Context, owner string) (bool, error) {
	if s.off || s.rdb == nil {
		return true, nil
	}
	ok, err := s.rdb.SetNX(ctx, "lock:switch", owner, time.Minute).Result()
	if err != nil {
		return false, err
	}
	if !ok {
		return false, nil
	}
	return true, nil
}

// Term trusts its lease for half of its time.
type Term struct {
	rdb   *redis.Client
	until time.Time
}

// Lock compares the time.
func (t *Term) Lock(ctx context.Context, owner string) (bool, error) {
	start := time.Now()
	if start.Before(t.until) {
		return true, nil
	}
	ok, err := t.rdb.SetNX(ctx, "lock:term", owner, time.Minute).Result()
	if err != nil {
		return false, err
	}
	if !ok {
		return false, nil
	}
	t.until = start.Add(30 * time.Second)
	return true, nil
}

// Twice refuses to be taken twice.
type Twice struct {
	rdb  *redis.Client
	held bool
}

// Lock is not reentrant.
func (t *Twice) Lock(ctx context.Context, owner string) (bool, error) {
	if t.held {
		return false, nil
	}
	ok, err := t.rdb.SetNX(ctx, "lock:twice", owner, time.Minute).Result()
	if err != nil {
		return false, err
	}
	if !ok {
		return false, nil
	}
	t.held = true
	return true, nil
}

// Unlock gives the lock back to the others.
func (s *Switch) Unlock(ctx context.Context, owner string) error {
	return drop.Run(context.WithoutCancel(ctx), s.rdb, []string{"lock:switch"}, owner).Err()
}

// Unlock gives the lock back to the others.
func (t *Term) Unlock(ctx context.Context, owner string) error {
	return drop.Run(context.WithoutCancel(ctx), t.rdb, []string{"lock:term"}, owner).Err()
}

// Unlock gives the lock back to the others.
func (t *Twice) Unlock(ctx context.Context, owner string) error {
	t.held = false
	return drop.Run(context.WithoutCancel(ctx), t.rdb, []string{"lock:twice"}, owner).Err()
}
