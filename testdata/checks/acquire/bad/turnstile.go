package bad

import (
	"context"
	"errors"
	"time"

	"github.com/gomodule/redigo/redis"
)

// A Locker asks Redis for a key by two commands.
type Locker struct{ pool *redis.Pool }

// TryLock reports whether key was free; it is taken then, for some seconds.
func (l *Locker) TryLock(ctx context.Context, key, owner string, seconds int) (bool, error) {
	conn, err := l.pool.GetContext(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	n, err := redis.Int(conn.Do("SETNX", key, owner)) // want: acquire
	if err != nil {
		return false, err
	}
	if n == 1 {
		_, _ = conn.Do("EXPIRE", key, seconds)
	}
	return n == 1, nil
}

var errTooOften = errors.New("too often, come back in a moment")

// A Turnstile lets each visitor vote every other second: nobody ever opens it again, its
// time does.
type Turnstile struct {
	locker *Locker
	count  func(ctx context.Context, visitor string, at time.Time) error
}

// Vote counts a vote, unless the visitor has voted a moment ago.
func (t *Turnstile) Vote(ctx context.Context, visitor string) error {
	ok, err := t.locker.TryLock(ctx, "vote:"+visitor, visitor, 2)
	if err != nil {
		return err
	}
	if !ok {
		return errTooOften
	}
	return t.count(ctx, visitor, time.Now())
}
