package good

import (
	"context"
	"crypto/rand"
	"log"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/robfig/cron/v3"
)

// An Errand is done by one replica, at set times.
type Errand struct {
	Label, At string
	Do        func(context.Context) error
}

type Errands struct{ rdb *redis.Client }

// Often has errands that are done again soon in any case.
func (e *Errands) Often(c *cron.Cron, sweep, poll func(context.Context) error) error {
	for _, x := range []Errand{
		{Label: "sweep", At: "*/2 * * * *", Do: sweep},
		{Label: "poll", At: "@every 30s", Do: poll},
	} {
		if _, err := c.AddFunc(x.At, e.alone(x)); err != nil { // verdict: unverified
			return err
		}
	}
	return nil
}

var unmark = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func (e *Errands) alone(x Errand) func() {
	return func() {
		ctx, me := context.Background(), rand.Text()
		key := "lock:errand:" + x.Label
		ok, err := e.rdb.SetNX(ctx, key, me, time.Minute).Result()
		if err != nil || !ok {
			return
		}
		defer unmark.Run(ctx, e.rdb, []string{key}, me)
		if err := x.Do(ctx); err != nil {
			log.Print(err)
		}
	}
}

// Dated is locked by the day, which its caller puts into the key.
func (e *Errands) Dated(c *cron.Cron, bill func(context.Context) error) error {
	_, err := c.AddFunc("0 4 * * *", func() {
		if err := e.day(context.Background(), time.Now().Format(time.DateOnly), bill); err != nil {
			log.Print(err)
		}
	})
	return err
}

func (e *Errands) day(ctx context.Context, day string, bill func(context.Context) error) error {
	key, me := "lock:bill:"+day, rand.Text()
	ok, err := e.rdb.SetNX(ctx, key, me, time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	defer unmark.Run(ctx, e.rdb, []string{key}, me)
	return bill(ctx)
}
