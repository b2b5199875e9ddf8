// Package redisrounds is what several hosts lock robots and doors with.
package redisrounds

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// Robots remembers what it holds.
type Robots struct {
	client *redislock.Client
	held   sync.Map
}

// New makes the locks of a host.
func New(rdb *redis.Client) *Robots { return &Robots{client: redislock.New(rdb)} }

// Lock answers no where another host is at the robot.
func (r *Robots) Lock(ctx context.Context, robot string, ttl time.Duration) (bool, error) {
	h, err := r.client.Obtain(ctx, "robot:"+robot, ttl, nil)
	if errors.Is(err, redislock.ErrNotObtained) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	r.held.Store(robot, h)
	return true, nil
}

// Refresh prolongs it.
func (r *Robots) Refresh(ctx context.Context, robot string, ttl time.Duration) error {
	h, ok := r.held.Load(robot)
	if !ok {
		return redislock.ErrLockNotHeld
	}
	return h.(*redislock.Lock).Refresh(ctx, ttl, nil)
}

// Unlock gives it back.
func (r *Robots) Unlock(ctx context.Context, robot string) error {
	h, ok := r.held.LoadAndDelete(robot)
	if !ok {
		return redislock.ErrLockNotHeld
	}
	return h.(*redislock.Lock).Release(ctx)
}

// Doors locks doors.
type Doors struct{ client *redislock.Client }

// TryLock returns how to unlock.
func (d *Doors) TryLock(ctx context.Context, door string) (func(context.Context) error, error) {
	h, err := d.client.Obtain(ctx, "door:"+door, 20*time.Second, nil)
	if err != nil {
		return nil, err
	}
	return h.Release, nil
}

// Shelves is locked by its own program, below.
type Shelves struct{ client *redislock.Client }

// Lock locks a shelf.
func (s *Shelves) Lock(ctx context.Context, shelf string) error {
	_, err := s.client.Obtain(ctx, "shelf:"+shelf, time.Minute, nil)
	return err
}

// Unlock forgets it.
func (s *Shelves) Unlock(context.Context, string) error { return nil }

type shelves interface {
	Lock(ctx context.Context, shelf string) error
	Unlock(ctx context.Context, shelf string) error
}

var _ shelves = (*Shelves)(nil)

// Stock counts a shelf.
func Stock(ctx context.Context, client *redislock.Client, shelf string, count func() error) (err error) {
	var s shelves = &Shelves{client}
	if err := s.Lock(ctx, shelf); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, s.Unlock(ctx, shelf)) }()
	return count()
}

// Enter leaves the door locked where the work fails: what gives it back is the method of
// the library's lock.
func (d *Doors) Enter(ctx context.Context, door string, work func(context.Context) error) error {
	unlock, err := d.TryLock(ctx, door) // want: release // verdict: unverified
	if err != nil {
		return err
	}
	if err := work(ctx); err != nil {
		return err
	}
	return unlock(context.WithoutCancel(ctx))
}

// Visit gives it back whatever comes of the work.
func (d *Doors) Visit(ctx context.Context, door string, work func(context.Context) error) (err error) {
	unlock, err := d.TryLock(ctx, door)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock(context.WithoutCancel(ctx))) }()
	return work(ctx)
}
