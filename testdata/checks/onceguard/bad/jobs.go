package bad

import (
	"context"
	"crypto/rand"
	"log"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
	"github.com/robfig/cron/v3"
)

// An Errand is done by one replica, at set times.
type Errand struct {
	Label, At string
	Do        func(context.Context) error
}

// Errands are run by one function for all of them.
type Errands struct {
	rdb   *redis.Client
	locks *redislock.Client
}

func (e *Errands) Start(c *cron.Cron, sweep, bill func(context.Context) error) error {
	for _, x := range []Errand{
		{Label: "sweep", At: "*/2 * * * *", Do: sweep},
		{Label: "bill", At: "0 4 * * *", Do: bill},
	} {
		if _, err := c.AddFunc(x.At, e.alone(x)); err != nil { // verdict: unverified
			return err
		}
	}
	return nil
}

var unmark = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// alone makes the function that locks an errand and does it.
func (e *Errands) alone(x Errand) func() {
	return func() {
		ctx, me := context.Background(), rand.Text()
		key := "lock:errand:" + x.Label
		ok, err := e.rdb.SetNX(ctx, key, me, time.Minute).Result()
		if err != nil || !ok {
			return
		}
		defer func() {
			if err := unmark.Run(ctx, e.rdb, []string{key}, me).Err(); err != nil { // want: onceguard
				log.Print(err)
			}
		}()
		if err := x.Do(ctx); err != nil {
			log.Print(err)
		}
	}
}

// newsletter is made by a function.
func newsletter(send func(context.Context) error) Errand {
	return Errand{Label: "newsletter", At: "@weekly", Do: send}
}

func (e *Errands) Newsletter(c *cron.Cron, send func(context.Context) error) error {
	return e.add(c, newsletter(send))
}

// add has the lock and the work in a function of its own.
func (e *Errands) add(c *cron.Cron, x Errand) error {
	_, err := c.AddFunc(x.At, func() {
		err := e.under(context.Background(), "errand:"+x.Label, x.Do) // want: onceguard
		if err != nil {
			log.Print(x.Label, err)
		}
	})
	return err
}

func (e *Errands) under(ctx context.Context, key string, work func(context.Context) error) error {
	l, err := e.locks.Obtain(ctx, key, 30*time.Second, nil)
	if err != nil {
		return err
	}
	defer l.Release(ctx)
	return work(ctx)
}
