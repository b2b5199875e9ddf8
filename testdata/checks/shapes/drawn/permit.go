// Package drawn has locks whose number is drawn by a second command. Where that fails the lock is given back at once,
// by the function that takes it, and the caller has none.
package drawn

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	errTaken = errors.New("somebody else is at it")
	errGone  = errors.New("the permit ran out before it was returned")
)

var giveBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Permits hands out permits to work at a crane.
type Permits struct {
	rdb *redis.Client
	db  *sql.DB
}

// Permit is a lock that is held, and its number.
type Permit struct {
	Number int64

	rdb        *redis.Client
	key, owner string
}

// Request draws the number from a counter in Redis.
func (p *Permits) Request(ctx context.Context, crane string, ttl time.Duration) (*Permit, error) {
	held := &Permit{rdb: p.rdb, key: "permit-lock:" + crane, owner: rand.Text()}
	ok, err := p.rdb.SetNX(ctx, held.key, held.owner, ttl).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errTaken
	}
	held.Number, err = p.rdb.Incr(ctx, "permits:"+crane).Result()
	if err != nil {
		return nil, errors.Join(err, held.Return(context.WithoutCancel(ctx)))
	}
	return held, nil
}

// Sequenced draws the number from a sequence, and takes zero for none.
func (p *Permits) Sequenced(ctx context.Context, crane string) (*Permit, bool) {
	held := &Permit{rdb: p.rdb, key: "permit-lock:" + crane, owner: rand.Text()}
	if ok, err := p.rdb.SetNX(ctx, held.key, held.owner, 20*time.Second).Result(); err != nil || !ok {
		return nil, false
	}
	if held.Number = p.next(ctx); held.Number == 0 {
		_ = held.Return(context.WithoutCancel(ctx))
		return nil, false
	}
	return held, true
}

func (p *Permits) next(ctx context.Context) (n int64) {
	_ = p.db.QueryRowContext(ctx, "SELECT nextval('permit_numbers')").Scan(&n)
	return n
}

func (p *Permit) Return(ctx context.Context) error {
	n, err := giveBack.Run(ctx, p.rdb, []string{p.key}, p.owner).Int()
	if err == nil && n == 0 {
		err = errGone
	}
	return err
}

// Badge is a lock object that keeps its number.
type Badge struct {
	rdb        *redis.Client
	key, owner string
	fence      int64
}

func (p *Permits) Badge(crane string) *Badge {
	return &Badge{rdb: p.rdb, key: "badge-lock:" + crane, owner: rand.Text()}
}

// Lock tries until the badge is free or ctx ends.
func (b *Badge) Lock(ctx context.Context) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := b.rdb.SetNX(ctx, b.key, b.owner, 15*time.Second).Result()
		if err != nil {
			return err
		}
		if ok {
			if b.fence, err = b.rdb.Incr(ctx, b.key+":fence").Result(); err != nil {
				return errors.Join(err, b.Unlock(context.WithoutCancel(ctx)))
			}
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (b *Badge) Fence() int64 { return b.fence }

func (b *Badge) Unlock(ctx context.Context) error {
	n, err := giveBack.Run(ctx, b.rdb, []string{b.key}, b.owner).Int()
	if err == nil && n == 0 {
		err = errGone
	}
	return err
}
