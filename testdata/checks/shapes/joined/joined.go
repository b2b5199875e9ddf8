// Package joined puts the keys of its locks together from lists of which not all is known.
package joined

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	errBusy = errors.New("held elsewhere")

	mu     sync.RWMutex
	prefix = "app"
)

// SetPrefix is called by main.
func SetPrefix(p string) {
	mu.Lock()
	defer mu.Unlock()
	prefix = p
}

func current() string {
	mu.RLock()
	defer mu.RUnlock()
	return prefix
}

type tenant struct{}

// keyOf starts with the tenant, if there is one.
func keyOf(ctx context.Context, kind string, ids ...any) string {
	parts := make([]string, 0, len(ids)+2)
	if name, ok := ctx.Value(tenant{}).(string); ok {
		parts = append(parts, name)
	}
	parts = append(parts, kind)
	for _, id := range ids {
		parts = append(parts, fmt.Sprint(id))
	}
	return strings.Join(parts, ":")
}

// serial starts with a prefix that is set elsewhere.
func serial(parts ...string) string {
	return strings.Join(append([]string{current()}, parts...), "/")
}

// Shelf is filled under locks.
type Shelf struct {
	rdb *redis.Client
	db  *sql.DB
	me  string // another one each time it starts
}

const free = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"

func (s *Shelf) locked(ctx context.Context, key string, do func() error) (err error) {
	ok, err := s.rdb.SetNX(ctx, key, s.me, 9*time.Second).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() {
		err = errors.Join(err, s.rdb.Eval(context.WithoutCancel(ctx), free, []string{key}, s.me).Err())
	}()
	return do()
}

// Fill has a key of which the middle is known.
func (s *Shelf) Fill(ctx context.Context, shelf int64) error {
	return s.locked(ctx, keyOf(ctx, "fill", shelf), func() error { // verdict: unfenced // lock: %s:fill:%s 9s
		_, err := s.db.ExecContext(ctx, "UPDATE shelf SET full = true WHERE id = $1", shelf) // want: unfenced
		return err
	})
}

// Empty has a key of which the end is known.
func (s *Shelf) Empty(ctx context.Context, shelf string) error {
	return s.locked(ctx, serial("empty", shelf), func() error { // verdict: unfenced // lock: %s/empty/%s 9s
		_, err := s.db.ExecContext(ctx, "UPDATE shelf SET full = false WHERE id = $1", shelf) // want: unfenced
		return err
	})
}
