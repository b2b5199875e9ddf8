package good

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"time"

	"github.com/redis/go-redis/v9"
)

// A Post goes out once a day, whichever replica carries it.
type Post interface {
	Deliver(ctx context.Context, bag string) error
}

type Carrier struct {
	rdb  *redis.Client
	db   *sql.DB
	post Post
	me   string
}

var handBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func (c *Carrier) free(ctx context.Context, key string) error {
	n, err := handBack.Run(context.WithoutCancel(ctx), c.rdb, []string{key}, c.me).Int()
	if err == nil && n == 0 {
		err = errors.New("lock was lost")
	}
	return err
}

// Walk does several things, each on its own day.
func (c *Carrier) Walk(ctx context.Context) {
	day, soon := time.NewTicker(24*time.Hour), time.NewTicker(5*time.Minute)
	defer day.Stop()
	defer soon.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-day.C:
			if err := c.round(ctx); err != nil {
				log.Print(err)
			}
		case <-soon.C:
			if err := c.glance(ctx); err != nil {
				log.Print(err)
			}
		}
	}
}

// round names the day.
func (c *Carrier) round(ctx context.Context) (err error) {
	key := "post:" + time.Now().UTC().Format(time.DateOnly)
	mine, err := c.rdb.SetNX(ctx, key, c.me, 20*time.Minute).Result() // verdict: unverified
	if err != nil || !mine {
		return err
	}
	defer func() { err = errors.Join(err, c.free(ctx, key)) }()
	return c.post.Deliver(ctx, "letters")
}

// glance runs often.
func (c *Carrier) glance(ctx context.Context) (err error) {
	mine, err := c.rdb.SetNX(ctx, "glance:lock", c.me, time.Minute).Result() // verdict: unverified
	if err != nil || !mine {
		return err
	}
	defer func() { err = errors.Join(err, c.free(ctx, "glance:lock")) }()
	return c.post.Deliver(ctx, "glance")
}

// Sweep deletes what is old: once more does no harm.
func (c *Carrier) Sweep(ctx context.Context) {
	for range time.Tick(24 * time.Hour) {
		if err := c.old(ctx); err != nil {
			log.Print(err)
		}
	}
}

func (c *Carrier) old(ctx context.Context) (err error) {
	mine, err := c.rdb.SetNX(ctx, "old:lock", c.me, time.Minute).Result() // verdict: unfenced
	if err != nil || !mine {
		return err
	}
	defer func() { err = errors.Join(err, c.free(ctx, "old:lock")) }()
	_, err = c.db.ExecContext(ctx, "DELETE FROM letter WHERE sent_at < now() - interval '90 days'")
	return err
}

// Tidy asks somebody else to.
func (c *Carrier) Tidy(ctx context.Context) {
	for range time.Tick(24 * time.Hour) {
		if err := c.purge(ctx); err != nil {
			log.Print(err)
		}
	}
}

func (c *Carrier) purge(ctx context.Context) (err error) {
	mine, err := c.rdb.SetNX(ctx, "purge:lock", c.me, time.Minute).Result() // verdict: unverified
	if err != nil || !mine {
		return err
	}
	defer func() { err = errors.Join(err, c.free(ctx, "purge:lock")) }()
	return c.post.Deliver(ctx, "nothing")
}

// Count leaves the mark where it is.
func (c *Carrier) Count(ctx context.Context) {
	for range time.Tick(24 * time.Hour) {
		if err := c.count(ctx); err != nil {
			log.Print(err)
		}
	}
}

func (c *Carrier) count(ctx context.Context) error {
	mine, err := c.rdb.SetNX(ctx, "count:lock", c.me, 23*time.Hour).Result() // verdict: unverified
	if err != nil || !mine {
		return err
	}
	return c.post.Deliver(ctx, "count")
}
