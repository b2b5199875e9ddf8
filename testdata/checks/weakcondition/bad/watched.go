package bad

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// Kiln fires what is on its shelf, a list in Redis.
type Kiln struct {
	rdb  *redis.Client
	name string
}

func (k *Kiln) door() string { return "{" + k.name + "}:door" }

// open takes the kiln for whoever is told as owner.
func (k *Kiln) open(ctx context.Context, owner string) error {
	ok, err := k.rdb.SetNX(ctx, k.door(), owner, 30*time.Second).Result()
	if err == nil && !ok {
		err = errStale
	}
	return err
}

var shut = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func (k *Kiln) close(ctx context.Context, owner string) error {
	n, err := shut.Run(context.WithoutCancel(ctx), k.rdb, []string{k.door()}, owner).Int()
	if err == nil && n == 0 {
		err = errStale
	}
	return err
}

// Fire watches the key of the lock, which may have been another's for long by then.
func (k *Kiln) Fire(ctx context.Context, pot string) (err error) {
	me := uuid.NewString()
	if err := k.open(ctx, me); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, k.close(ctx, me)) }()
	return k.rdb.Watch(ctx, func(tx *redis.Tx) error {
		_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error { // want: weakcondition
			p.LPush(ctx, "{"+k.name+"}:shelf", pot)
			return nil
		})
		return err
	}, k.door())
}

// Glaze looks whose the lock is, and sends its commands outside of a transaction.
func (k *Kiln) Glaze(ctx context.Context, pot string) (err error) {
	me := uuid.NewString()
	if err := k.open(ctx, me); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, k.close(ctx, me)) }()
	return k.rdb.Watch(ctx, func(tx *redis.Tx) error {
		owner, err := tx.Get(ctx, k.door()).Result()
		if err != nil {
			return err
		}
		if owner != me {
			return errStale
		}
		return tx.LPush(ctx, "{"+k.name+"}:shelf", pot).Err() // want: weakcondition
	}, k.door())
}
