package bad

import (
	"context"
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

// Walk has a ticker of its own, which fires when this replica has been up for a day.
func (c *Carrier) Walk(ctx context.Context) {
	day := time.NewTicker(24 * time.Hour)
	defer day.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-day.C:
			if err := c.round(ctx); err != nil {
				log.Print(err)
			}
		}
	}
}

func (c *Carrier) round(ctx context.Context) (err error) {
	mine, err := c.rdb.SetNX(ctx, "post:lock", c.me, 20*time.Minute).Result() // verdict: unverified
	if err != nil || !mine {
		return err
	}
	defer func() { err = errors.Join(err, c.free(ctx, "post:lock")) }() // want: onceguard
	return c.post.Deliver(ctx, "letters")
}

// Ride sleeps in between.
func (c *Carrier) Ride(ctx context.Context) {
	for ctx.Err() == nil {
		time.Sleep(24 * time.Hour)
		if err := c.far(ctx); err != nil {
			log.Print(err)
		}
	}
}

func (c *Carrier) far(ctx context.Context) error { return c.parcels(ctx) }

func (c *Carrier) parcels(ctx context.Context) (err error) {
	mine, err := c.rdb.SetNX(ctx, "parcels:lock", c.me, 20*time.Minute).Result() // verdict: unverified
	if err != nil || !mine {
		return err
	}
	defer func() { err = errors.Join(err, c.free(ctx, "parcels:lock")) }() // want: onceguard
	return c.post.Deliver(ctx, "parcels")
}

// Sort waits for the hour: all replicas come at once, give or take a second.
func (c *Carrier) Sort(ctx context.Context) {
	for {
		now := time.Now()
		next := time.Date(now.Year(), now.Month(), now.Day()+1, 4, 30, 0, 0, time.UTC)
		wait := time.NewTimer(time.Until(next))
		select {
		case <-ctx.Done():
			wait.Stop()
			return
		case <-wait.C:
		}
		if err := c.sort(ctx); err != nil {
			log.Print(err)
		}
	}
}

func (c *Carrier) sort(ctx context.Context) (err error) {
	mine, err := c.rdb.SetNX(ctx, "sort:lock", c.me, 20*time.Minute).Result() // verdict: unverified
	if err != nil || !mine {
		return err
	}
	defer func() { err = errors.Join(err, c.free(ctx, "sort:lock")) }() // want: onceguard
	return c.post.Deliver(ctx, "sorted")
}

// Bell rings every two hours, which may be often enough for one more not to matter.
func (c *Carrier) Bell(ctx context.Context) {
	for range time.Tick(2 * time.Hour) {
		if err := c.ring(ctx); err != nil {
			log.Print(err)
		}
	}
}

func (c *Carrier) ring(ctx context.Context) (err error) {
	mine, err := c.rdb.SetNX(ctx, "bell:lock", c.me, 20*time.Minute).Result() // verdict: unverified
	if err != nil || !mine {
		return err
	}
	defer func() { err = errors.Join(err, c.free(ctx, "bell:lock")) }() // note: onceguard
	return c.post.Deliver(ctx, "bell")
}

// Stamp does all of it in its loop.
func (c *Carrier) Stamp(ctx context.Context) error {
	day := time.NewTicker(24 * time.Hour)
	defer day.Stop()
	for range day.C {
		mine, err := c.rdb.SetNX(ctx, "stamp:lock", c.me, 20*time.Minute).Result() // verdict: unverified
		if err != nil {
			return err
		}
		if !mine {
			continue
		}
		err = c.post.Deliver(ctx, "stamps")
		if err := errors.Join(err, c.free(ctx, "stamp:lock")); err != nil { // want: onceguard
			return err
		}
	}
	return nil
}
