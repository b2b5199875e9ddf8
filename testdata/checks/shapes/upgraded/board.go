// Package upgraded asks the store behind an interface for more than the interface has, and
// keeps an index of the locks that are taken.
package upgraded

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// Board is all that the first of the stores could do.
type Board interface {
	Put(ctx context.Context, name, text string, seconds int) error
	PutFirst(ctx context.Context, name, text string, seconds int) (bool, error)
	Wipe(ctx context.Context, names ...string) error
}

// Exact is what the newer ones can do as well.
type Exact interface {
	PutFirstFor(ctx context.Context, name, text string, d time.Duration) (bool, error)
	Pin(ctx context.Context, list string, names map[string]string, d time.Duration) error
}

// Remote is a board in Redis.
type Remote struct{ rdb redis.UniversalClient }

func (r *Remote) Put(ctx context.Context, name, text string, seconds int) error {
	return r.rdb.Set(ctx, name, text, time.Duration(seconds)*time.Second).Err()
}

func (r *Remote) PutFirst(ctx context.Context, name, text string, seconds int) (bool, error) {
	return r.PutFirstFor(ctx, name, text, time.Duration(seconds)*time.Second)
}

func (r *Remote) PutFirstFor(ctx context.Context, name, text string, d time.Duration) (bool, error) {
	return r.rdb.SetNX(ctx, name, text, d).Result()
}

func (r *Remote) Pin(ctx context.Context, list string, names map[string]string, d time.Duration) error {
	pipe := r.rdb.TxPipeline()
	for name, mark := range names {
		pipe.HSet(ctx, list, name, mark) // note: unfenced
	}
	pipe.Expire(ctx, list, d)
	_, err := pipe.Exec(ctx)
	return err
}

func (r *Remote) Wipe(ctx context.Context, names ...string) error {
	return r.rdb.Del(ctx, names...).Err()
}

// board is what the greenhouse needs.
type board interface {
	PutFirstFor(ctx context.Context, name, text string, d time.Duration) (bool, error)
	Pin(ctx context.Context, list string, names map[string]string, d time.Duration) error
	Put(ctx context.Context, name, text string, seconds int) error
	Wipe(ctx context.Context, names ...string) error
}

// rounded makes a board of any: where the one behind it counts in seconds only, so does it.
type rounded struct{ Board }

func (r rounded) PutFirstFor(ctx context.Context, name, text string, d time.Duration) (bool, error) {
	if x, ok := r.Board.(Exact); ok {
		return x.PutFirstFor(ctx, name, text, d)
	}
	return r.PutFirst(ctx, name, text, int(d/time.Second))
}

func (r rounded) Pin(ctx context.Context, list string, names map[string]string, d time.Duration) error {
	if x, ok := r.Board.(interface {
		Pin(context.Context, string, map[string]string, time.Duration) error
	}); ok {
		return x.Pin(ctx, list, names, d)
	}
	return nil
}
