package lock

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// Turns takes locks whose holders are numbered: the number is drawn once the lock is held.
type Turns struct {
	rdb    *redis.Client
	locker *redislock.Client
}

// Numbered runs fn under the lock of that name and tells it the number of its turn.
func (t *Turns) Numbered(ctx context.Context, name string, fn func(ctx context.Context, turn int64) error) (err error) {
	held, err := t.locker.Obtain(ctx, "turns:"+name, 12*time.Second, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Release(context.WithoutCancel(ctx))) }()
	turn, err := t.rdb.Incr(ctx, "turn-of:"+name).Result()
	if err != nil {
		return err
	}
	return fn(ctx, turn)
}

// Next takes the lock and returns the number of the turn; Done ends it.
func (t *Turns) Next(ctx context.Context, name, me string) (int64, error) {
	ok, err := t.rdb.SetNX(ctx, "turn:"+name, me, 12*time.Second).Result()
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, ErrHeld
	}
	return t.rdb.Incr(ctx, "turn-of:"+name).Result()
}

// Done ends the turn.
func (t *Turns) Done(ctx context.Context, name, me string) error {
	n, err := release.Run(context.WithoutCancel(ctx), t.rdb, []string{"turn:" + name}, me).Int()
	if err == nil && n == 0 {
		err = errors.New("turn was lost")
	}
	return err
}
