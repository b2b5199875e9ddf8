package good

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// Oven bakes what is on its tray, a list in Redis.
type Oven struct {
	rdb  *redis.Client
	name string
}

func (o *Oven) door() string { return "{" + o.name + "}:door" }

var shut = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func (o *Oven) close(ctx context.Context, owner string) error {
	n, err := shut.Run(context.WithoutCancel(ctx), o.rdb, []string{o.door()}, owner).Int()
	if err == nil && n == 0 {
		err = errStale
	}
	return err
}

// Bake watches the key of the lock, looks whose it is, and sends a transaction that fails
// where that has changed since.
func (o *Oven) Bake(ctx context.Context, loaf string) (err error) {
	me := uuid.NewString()
	ok, err := o.rdb.SetNX(ctx, o.door(), me, 30*time.Second).Result() // verdict: fenced
	if err != nil {
		return err
	}
	if !ok {
		return errStale
	}
	defer func() { err = errors.Join(err, o.close(ctx, me)) }()
	return o.rdb.Watch(ctx, func(tx *redis.Tx) error {
		owner, err := tx.Get(ctx, o.door()).Result()
		if err != nil {
			return err
		}
		if owner != me {
			return errStale
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.LPush(ctx, "{"+o.name+"}:tray", loaf)
			p.Incr(ctx, "{"+o.name+"}:loaves")
			return nil
		})
		return err
	}, o.door())
}
