package good

import (
	"context"
	"encoding/json"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// A Crate says what is in it, in a batch with others.
type Crate struct {
	Name   string
	Apples int
}

// save queues it.
func (c *Crate) save(ctx context.Context, batch redis.Pipeliner) {
	data, err := json.Marshal(c)
	if err != nil {
		return
	}
	batch.HSet(ctx, "crate:"+c.Name, "info", data)
}

// Cellar moves apples from crate to crate.
type Cellar struct {
	locker *redislock.Client
	rdb    *redis.Client
}

// Move holds the cellar while it does.
func (c *Cellar) Move(ctx context.Context, from, to *Crate, n int) error {
	lock, err := c.locker.Obtain(ctx, "cellar", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	from.Apples -= n
	to.Apples += n
	_, err = c.rdb.TxPipelined(ctx, func(batch redis.Pipeliner) error { // want: unfenced
		from.save(ctx, batch)
		batch.HDel(ctx, "crate:"+to.Name, "empty")
		to.save(ctx, batch)
		return nil
	})
	return err
}
