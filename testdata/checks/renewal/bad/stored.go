package bad

import (
	"context"
	"errors"
	"time"

	"github.com/gomodule/redigo/redis"
	goredis "github.com/redis/go-redis/v9"
)

const tide = 45 * time.Second

var ebb = goredis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Stored again, the owner's value renews a lease that may be somebody else's by now.
func Stored(ctx context.Context, rdb *goredis.Client, harbour, me string, work func(context.Context) error) error {
	key := "harbour:" + harbour
	ok, err := rdb.SetNX(ctx, key, me, tide).Result() // verdict: unverified
	if err != nil || !ok {
		return errors.Join(errors.New("the harbour is taken"), err)
	}
	defer ebb.Run(context.WithoutCancel(ctx), rdb, []string{key}, me)
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() {
		for {
			select {
			case <-held.Done():
				return
			case <-time.After(tide / 5):
			}
			if err := rdb.SetEx(held, key, me, tide).Err(); err != nil { // want: renewal
				lost(err)
				return
			}
		}
	}()
	return work(held)
}

// Pier takes and renews in methods, and says the command word by word.
type Pier struct {
	pool *redis.Pool
	key  string
	me   string
}

func (p *Pier) TryLock() (bool, error) {
	c := p.pool.Get()
	defer c.Close()
	_, err := redis.String(c.Do("SET", p.key, p.me, "NX", "PX", tide.Milliseconds()))
	if errors.Is(err, redis.ErrNil) {
		return false, nil
	}
	return err == nil, err
}

var clearPier = redis.NewScript(1, `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func (p *Pier) Unlock() error {
	c := p.pool.Get()
	defer c.Close()
	n, err := redis.Int(clearPier.Do(c, p.key, p.me))
	if err == nil && n == 0 {
		err = errors.New("the pier was not ours")
	}
	return err
}

func (p *Pier) refresh() error {
	c := p.pool.Get()
	defer c.Close()
	_, err := c.Do("SET", p.key, p.me, "PX", tide.Milliseconds()) // want: renewal
	return err
}

// Keep refreshes until it fails or the work is done.
func (p *Pier) Keep(ctx context.Context, lost context.CancelCauseFunc) {
	for ctx.Err() == nil {
		time.Sleep(tide / 5)
		if err := p.refresh(); err != nil {
			lost(err)
			return
		}
	}
}
