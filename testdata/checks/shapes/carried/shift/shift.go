// Package shift lets one crew at a time work at a gate. What number its turn has is in the context.
package shift

import (
	"context"
	"errors"
	"net/http"

	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

// Shift is what the context has.
type Shift struct {
	Gate string
	Turn int64
}

type word string

var (
	kept   = new(byte)
	beside = new(byte)
)

const (
	crew word = "turn"
	boss word = "boss"
)

type (
	nobody  struct{}
	nothing struct{}
)

// Of is the shift that a context has, or nil.
func Of(ctx context.Context) *Shift {
	s, _ := ctx.Value(kept).(*Shift)
	return s
}

// Under does work while nobody else is at the gate.
func Under[T any](ctx context.Context, rs *redsync.Redsync, rdb redis.UniversalClient, gate string, work func(context.Context) (T, error)) (_ T, err error) {
	var none T
	m := rs.NewMutex("gate:" + gate)
	if err := m.LockContext(ctx); err != nil {
		return none, err
	}
	defer func() {
		_, left := m.UnlockContext(context.WithoutCancel(ctx))
		err = errors.Join(err, left)
	}()
	n, err := rdb.Incr(ctx, "gate:"+gate+":turn").Result()
	if err != nil {
		return none, err
	}
	return work(context.WithValue(ctx, kept, &Shift{gate, n}))
}

// Roster is Under for those who have given it all but the work.
type Roster[T any] struct {
	rs  *redsync.Redsync
	rdb redis.UniversalClient
}

// NewRoster makes a roster.
func NewRoster[T any](rs *redsync.Redsync, rdb redis.UniversalClient) *Roster[T] {
	return &Roster[T]{rs, rdb}
}

// At does the work at a gate, and puts the turn beside what else the context has.
func (r *Roster[T]) At(ctx context.Context, gate string, work func(context.Context) (T, error)) (T, error) {
	return Under(ctx, r.rs, r.rdb, gate, func(ctx context.Context) (T, error) {
		ctx = context.WithValue(ctx, crew, Of(ctx).Turn)
		ctx = context.WithValue(ctx, nobody{}, "nobody")
		return work(context.WithValue(ctx, boss, int64(1)))
	})
}

// Turn is the turn that At has put there.
func Turn(ctx context.Context) int64 { return ctx.Value(crew).(int64) }

// Boss is something else.
func Boss(ctx context.Context) int64 { return ctx.Value(boss).(int64) }

// Lent is under a key that nothing is kept under.
func Lent(ctx context.Context) int64 {
	n, _ := ctx.Value(beside).(int64)
	return n
}

// Short is never there: the turn is longer.
func Short(ctx context.Context) int32 {
	n, _ := ctx.Value(crew).(int32)
	return n
}

// Perhaps puts a turn there for some.
func Perhaps(ctx context.Context, turn int64, gate string) context.Context {
	if len(gate) > 3 {
		ctx = put(ctx, nothing{}, turn)
	}
	return ctx
}

// Always puts it there for all.
func Always(ctx context.Context, turn int64) context.Context {
	return put(put(ctx, nothing{}, turn), nobody{}, int64(0))
}

// Had is what Perhaps or Always has put there.
func Had(ctx context.Context) int64 { return get(ctx, nothing{}) }

// Nobody is what is there beside it.
func Nobody(ctx context.Context) int64 { return get(ctx, nobody{}) }

func put(ctx context.Context, key, value any) context.Context {
	return context.WithValue(ctx, key, value)
}

func get(ctx context.Context, key any) int64 {
	n, ok := ctx.Value(key).(int64)
	if !ok {
		return 0
	}
	return n
}

// Serve has requests for a gate wait for each other.
func (r *Roster[T]) Serve(gate string, next func(http.ResponseWriter, *http.Request) (T, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, q *http.Request) {
		_, err := r.At(q.Context(), gate, func(ctx context.Context) (T, error) {
			return next(w, q.WithContext(ctx))
		})
		if err != nil {
			http.Error(w, "not now", http.StatusConflict)
		}
	}
}
