// Package tickets gives out locks with numbers that are drawn in the wrong order.
package tickets

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("somebody else is at it")

var giveBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Ticket is a lock that is held.
type Ticket struct {
	Number int64

	rdb        *redis.Client
	key, owner string
}

// Take draws the number first: who then waits longest for the lock has the oldest number.
func Take(ctx context.Context, rdb *redis.Client, name string) (*Ticket, error) {
	n, err := rdb.Incr(ctx, "number:"+name).Result()
	if err != nil {
		return nil, err
	}
	t := &Ticket{Number: n, rdb: rdb, key: "ticket:" + name, owner: rand.Text()}
	ok, err := rdb.SetNX(ctx, t.key, t.owner, 15*time.Second).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrBusy
	}
	return t, nil
}

// Return gives it back.
func (t *Ticket) Return(ctx context.Context) error {
	n, err := giveBack.Run(ctx, t.rdb, []string{t.key}, t.owner).Int()
	if err == nil && n == 0 {
		err = errors.New("it ran out")
	}
	return err
}
