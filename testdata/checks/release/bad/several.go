package bad

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

// Rooms books several rooms at once.
type Rooms struct {
	locker *redislock.Client
	rs     *redsync.Redsync
	rdb    *redis.Client
}

// ByName returns nothing where the second room is taken.
func (r *Rooms) ByName(ctx context.Context, names []string) (map[string]*redislock.Lock, error) {
	held := make(map[string]*redislock.Lock)
	for _, name := range names {
		lock, err := r.locker.Obtain(ctx, "room:"+name, time.Minute, nil) // want: release
		if err != nil {
			return nil, fmt.Errorf("room %s: %w", name, err)
		}
		held[name] = lock
	}
	return held, nil
}

// Way returns how to give all of them back, but only where it has them all.
func (r *Rooms) Way(ctx context.Context, names []string) (func(context.Context) error, error) {
	var locks []*redislock.Lock
	for _, name := range names {
		lock, err := r.locker.Obtain(ctx, "room:"+name, time.Minute, nil) // want: release
		if errors.Is(err, redislock.ErrNotObtained) {
			return nil, errTaken
		}
		if err != nil {
			return nil, err
		}
		locks = append(locks, lock)
	}
	return func(ctx context.Context) error {
		var err error
		for _, l := range locks {
			err = errors.Join(err, l.Release(ctx))
		}
		return err
	}, nil
}

var errTaken = errors.New("room is taken")

// Floor is a mutex of many.
type Floor struct{ rooms []*redsync.Mutex }

// Lock takes them one by one.
func (f *Floor) Lock(ctx context.Context) error {
	for _, m := range f.rooms {
		if err := m.LockContext(ctx); err != nil { // want: release
			return err
		}
	}
	return nil
}

// Unlock gives all back.
func (f *Floor) Unlock(ctx context.Context) error {
	var err error
	for _, m := range f.rooms {
		_, e := m.UnlockContext(ctx)
		err = errors.Join(err, e)
	}
	return err
}

// Here releases after the work only.
func (r *Rooms) Here(ctx context.Context, names []string, book func(context.Context) error) error {
	var held []*redsync.Mutex
	for _, name := range names {
		m := r.rs.NewMutex("room:" + name)
		if err := m.LockContext(ctx); err != nil { // want: release // verdict: unverified
			return err
		}
		held = append(held, m)
	}
	err := book(ctx)
	for _, m := range held {
		_, e := m.UnlockContext(context.WithoutCancel(ctx))
		err = errors.Join(err, e)
	}
	return err
}
