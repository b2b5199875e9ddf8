package upgraded

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// Gates locks things by name.
type Gates struct{ rdb *redis.Client }

// A Gate is one that was tried.
type Gate struct {
	rdb       *redis.Client
	name, key string
	through   bool
}

// LockGate tries a gate.
func (g *Gates) LockGate(ctx context.Context, name string, d time.Duration) (*Gate, error) {
	key := uuid.NewString()
	ok, err := g.rdb.SetNX(ctx, name, key, d).Result()
	if err != nil {
		return nil, err
	}
	return &Gate{rdb: g.rdb, name: name, key: key, through: ok}, nil
}

// Through reports whether it was open.
func (g *Gate) Through() bool { return g.through }

var shut = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Unlock leaves it.
func (g *Gate) Unlock(ctx context.Context) error {
	return shut.Run(ctx, g.rdb, []string{g.name}, g.key).Err()
}

func seasonLockKey(year string) string { return "season:" + year }

func seasonKey(year string) string { return "season:seen:" + year }

// Begin starts a season, which another process ends.
func Begin(ctx context.Context, gates *Gates, year string, start func(ctx context.Context, year string) error) error {
	gate, err := gates.LockGate(ctx, seasonLockKey(year), 2*time.Hour) // verdict: unverified
	if err != nil {
		return err
	}
	if !gate.Through() {
		return errors.New("the season has begun")
	}
	return start(ctx, year)
}

// Greet says once that a season has begun.
func Greet(ctx context.Context, gates *Gates, year string, say func(ctx context.Context, year string) error) error {
	gate, err := gates.LockGate(ctx, seasonKey(year), 90*24*time.Hour)
	if err != nil {
		return err
	}
	if !gate.Through() {
		return nil
	}
	return say(ctx, year)
}
