package bad

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// Desk lends its papers, one reader at a time. The lock and the papers are in one Redis.
type Desk struct{ rdb *redis.Client }

var giveBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// lend runs a function for whoever has the paper.
func (d *Desk) lend(ctx context.Context, paper string, fn func(me string) error) (err error) {
	me := uuid.NewString()
	ok, err := d.rdb.SetNX(ctx, "lent:"+paper, me, 30*time.Second).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errStale
	}
	defer func() {
		n, e := giveBack.Run(context.WithoutCancel(ctx), d.rdb, []string{"lent:" + paper}, me).Int()
		if e == nil && n == 0 {
			e = errStale
		}
		err = errors.Join(err, e)
	}()
	return fn(me)
}

// free refuses whoever finds another reader's name, but not one who finds none.
var free = redis.NewScript(`
local reader = redis.call("GET", KEYS[1])
if reader and reader ~= ARGV[1] then
	return 0
end
redis.call("SET", KEYS[2], ARGV[2])
return 1`)

func (d *Desk) Rewrite(ctx context.Context, paper, text string) error {
	return d.lend(ctx, paper, func(me string) error { // verdict: unfenced
		n, err := free.Run(ctx, d.rdb, []string{"lent:" + paper, "paper:" + paper}, me, text).Int() // want: weakcondition
		if err == nil && n == 0 {
			err = errStale
		}
		return err
	})
}

// forward writes first, and the same again under the condition.
var forward = redis.NewScript(`
redis.call("SET", KEYS[2], ARGV[2])
if redis.call("GET", KEYS[1]) ~= ARGV[1] then
	return 0
end
redis.call("SET", KEYS[2], ARGV[2])
return 1`)

func (d *Desk) Scribble(ctx context.Context, paper, text string) error {
	return d.lend(ctx, paper, func(me string) error { // verdict: unfenced
		n, err := forward.Run(ctx, d.rdb, []string{"lent:" + paper, "paper:" + paper}, me, text).Int() // want: unfenced
		if err == nil && n == 0 {
			err = errStale
		}
		return err
	})
}
