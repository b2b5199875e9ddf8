// Package cloak hangs up coats: whoever has the peg may write its row.
package cloak

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var errTaken = errors.New("peg is taken")

// Pegs are locks in Redis.
type Pegs struct{ rdb *redis.Client }

// A Peg is one that is taken.
type Peg struct {
	rdb  *redis.Client
	key  string
	mine string
}

// Hang takes a peg.
func (p *Pegs) Hang(ctx context.Context, name string) (*Peg, error) {
	peg := &Peg{rdb: p.rdb, key: "lock:peg:" + name, mine: uuid.NewString()}
	ok, err := p.rdb.SetNX(ctx, peg.key, peg.mine, 10*time.Second).Result()
	if err == nil && !ok {
		err = errTaken
	}
	if err != nil {
		return nil, err
	}
	return peg, nil
}

var unhang = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Off gives the peg back.
func (p *Peg) Off(ctx context.Context) error {
	n, err := unhang.Run(context.WithoutCancel(ctx), p.rdb, []string{p.key}, p.mine).Int()
	if err == nil && n == 0 {
		err = errTaken
	}
	return err
}
