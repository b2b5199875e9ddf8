// Package lock takes leases in Redis. A lease ends when its time is over, whether or not its holder has
// finished, and it comes without a fencing token.
package lock

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	// ErrBusy reports that somebody else held the lock until the context ended.
	ErrBusy = errors.New("lock is held elsewhere")
	// ErrLost reports that the lease was over before it was released.
	ErrLost = errors.New("lock was lost before its release")
)

const retryEvery = 100 * time.Millisecond

var release = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`)

// Unlock gives a lease back if it is still ours.
type Unlock func(context.Context) error

// Locker takes leases from one Redis server.
type Locker struct{ rdb *redis.Client }

func New(rdb *redis.Client) *Locker { return &Locker{rdb: rdb} }

// Try takes the lease on key for ttl. Where somebody else holds it, unlock and err are nil.
func (l *Locker) Try(ctx context.Context, key string, ttl time.Duration) (unlock Unlock, err error) {
	owner := rand.Text()
	ok, err := l.rdb.SetNX(ctx, key, owner, ttl).Result()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", key, err)
	}
	if !ok {
		return nil, nil
	}
	return func(ctx context.Context) error {
		n, err := release.Run(ctx, l.rdb, []string{key}, owner).Int()
		if err != nil {
			return fmt.Errorf("unlock %s: %w", key, err)
		}
		if n == 0 {
			return fmt.Errorf("unlock %s: %w", key, ErrLost)
		}
		return nil
	}, nil
}

// Acquire tries until it holds the lease on key or ctx ends.
func (l *Locker) Acquire(ctx context.Context, key string, ttl time.Duration) (Unlock, error) {
	for {
		unlock, err := l.Try(ctx, key, ttl)
		if err != nil {
			return nil, err
		}
		if unlock != nil {
			return unlock, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("lock %s: %w: %w", key, ErrBusy, ctx.Err())
		case <-time.After(retryEvery):
		}
	}
}
