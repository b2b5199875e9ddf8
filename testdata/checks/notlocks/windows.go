package notlocks

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// Keeper hands out locks as objects, which know whether they were taken.
type Keeper struct{ rdb *redis.Client }

// Lock is one of them.
type Lock struct {
	rdb        *redis.Client
	key, owner string
	taken      bool
}

var giveBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Acquire asks for a key.
func (k *Keeper) Acquire(ctx context.Context, key string, ttl time.Duration) (*Lock, error) {
	owner := uuid.NewString()
	ok, err := k.rdb.SetNX(ctx, key, owner, ttl).Result()
	if err != nil {
		return nil, err
	}
	return &Lock{rdb: k.rdb, key: key, owner: owner, taken: ok}, nil
}

// Taken reports whether it was free.
func (l *Lock) Taken() bool { return l.taken }

// Release gives it back.
func (l *Lock) Release(ctx context.Context) error {
	return giveBack.Run(ctx, l.rdb, []string{l.key}, l.owner).Err()
}

func keyed(kind string, parts ...string) string {
	list := append([]string{kind}, parts...)
	return strings.Join(list, ":")
}

// Hooks tell customers what happened, but not too often.
type Hooks struct {
	keeper *Keeper
	post   func(ctx context.Context, to string) error
}

// Tell posts once in a window, which ends by itself.
func (h *Hooks) Tell(ctx context.Context, to string) error {
	window, err := h.keeper.Acquire(ctx, keyed("hook", to), time.Minute)
	if err == nil && !window.Taken() {
		return nil // told a moment ago
	}
	return h.post(ctx, to)
}

// Once posts an event that may come again. What failed is tried again.
func (h *Hooks) Once(ctx context.Context, to, event string) error {
	seen, err := h.keeper.Acquire(ctx, keyed("hook", to, event), time.Hour)
	if err != nil {
		return err
	}
	if !seen.Taken() {
		return nil
	}
	if err := h.post(ctx, to); err != nil {
		if e := seen.Release(ctx); e != nil {
			return e
		}
		return err
	}
	return nil
}

// Both is a caller of Once: what that gives back is no sign for Tell.
func (h *Hooks) Both(ctx context.Context, to, event string) error {
	if err := h.Once(ctx, to, event); err != nil {
		return err
	}
	return h.Tell(ctx, to)
}

// A Receipt says whether a courier took a parcel.
type Receipt struct{ Taken bool }

// Dispatch hands each parcel out once a month. What no courier took, or none answered
// for in time, is offered again.
func Dispatch(ctx context.Context, rdb *redis.Client, parcels []string, offer func(string) error, receipts <-chan Receipt) (handed int) {
	for _, p := range parcels {
		key := keyed("offered", p)
		fresh, err := rdb.SetNX(ctx, key, "yes", 30*24*time.Hour).Result()
		if err != nil || !fresh {
			continue
		}
		if err := offer(p); err != nil {
			rdb.Del(ctx, key)
			continue
		}
		select {
		case r := <-receipts:
			if !r.Taken {
				rdb.Del(ctx, key)
			} else {
				handed++
			}
		case <-time.After(5 * time.Second):
			rdb.Del(ctx, key)
		}
	}
	return handed
}
