// Package bunch takes several locks in one go, and gives them back by their names.
package bunch

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

var errTaken = errors.New("somebody has one of them")

// A Locker holds the keys of a bunch.
type Locker struct {
	rdb  *redis.Client
	keys []string
}

// MLock sets the end of each in the same transaction.
func (l *Locker) MLock(ctx context.Context, names ...string) error {
	var taken []*redis.BoolCmd
	l.keys = nil
	pipe := l.rdb.TxPipeline()
	for _, name := range names {
		key := "bunch:" + name
		l.keys = append(l.keys, key)
		taken = append(taken, pipe.SetNX(ctx, key, rand.Text(), 0)) // want: acquire // verdict: no-visible-write
		pipe.Expire(ctx, key, time.Minute)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return err
	}
	for _, cmd := range taken {
		if !cmd.Val() {
			return errTaken
		}
	}
	return nil
}

// MUnlock deletes all of them, whoever has them by now.
func (l *Locker) MUnlock(ctx context.Context) error {
	return l.rdb.Del(ctx, l.keys...).Err() // want: release
}

// MPartialUnlock deletes some.
func (l *Locker) MPartialUnlock(ctx context.Context, keys []string) error {
	return l.rdb.Del(ctx, keys...).Err() // want: release
}

// Owned holds a bunch with one owner for all.
type Owned struct {
	rdb   *redis.Client
	keys  []string
	owner string
}

// MLock takes them one by one.
func (l *Owned) MLock(ctx context.Context, names ...string) error {
	l.owner = rand.Text()
	for _, name := range names {
		key := "owned:" + name
		ok, err := l.rdb.SetNX(ctx, key, l.owner, time.Minute).Result()
		if err != nil {
			return errors.Join(err, l.MUnlock(ctx))
		}
		if !ok {
			return errors.Join(errTaken, l.MUnlock(ctx))
		}
		l.keys = append(l.keys, key)
	}
	return nil
}

var free = redis.NewScript(`
for i = 1, #KEYS do
	if redis.call("GET", KEYS[i]) == ARGV[1] then
		redis.call("DEL", KEYS[i])
	end
end
return 0`)

// MUnlock compares the owner of each.
func (l *Owned) MUnlock(ctx context.Context) error {
	return free.Run(ctx, l.rdb, l.keys, l.owner).Err()
}
