package good

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// A hatch is opened by one crew at a time. Its constructor leaves the pass alone, which Lock
// draws.
type hatch interface {
	Lock(ctx context.Context) error
	Unlock(ctx context.Context) error
}

type pass struct{ name, word string }

type redisHatch struct {
	rdb  *redis.Client
	name string
	pass *pass
}

func (h *redisHatch) Lock(ctx context.Context) error {
	p := &pass{name: h.name, word: rand.Text()}
	ok, err := h.rdb.SetNX(ctx, p.name, p.word, 15*time.Second).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("somebody is in")
	}
	h.pass = p
	return nil
}

var shutHatch = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func (h *redisHatch) Unlock(ctx context.Context) error {
	if h.pass == nil {
		return errors.New("not in")
	}
	return shutHatch.Run(ctx, h.rdb, []string{h.pass.name}, h.pass.word).Err()
}

// hatches makes them; a ship has that of its yard in it.
type hatches interface {
	hatchOf(deck string) hatch
}

type yard struct{ rdb *redis.Client }

func (y *yard) hatchOf(deck string) hatch {
	return &redisHatch{rdb: y.rdb, name: "lock:hatch:" + deck}
}

type ship struct{ hatches }

type vessel interface{ hatches }

// Launch makes a ship.
func Launch(rdb *redis.Client) vessel {
	return ship{&yard{rdb: rdb}}
}

// enter opens the hatch of a deck.
func enter(ctx context.Context, v vessel, deck string) (hatch, error) {
	h := v.hatchOf(deck)
	return h, h.Lock(ctx)
}

// Stow puts cargo on a deck.
func Stow(ctx context.Context, v vessel, db *sql.DB, deck string, tons int) error {
	h, err := enter(ctx, v, deck) // verdict: unfenced // lock: lock:hatch:%s 15s
	if err != nil {
		return err
	}
	defer h.Unlock(context.WithoutCancel(ctx))
	_, err = db.ExecContext(ctx, "UPDATE decks SET tons = $1 WHERE name = $2", tons, deck) // want: unfenced
	return err
}
