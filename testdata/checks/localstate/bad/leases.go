package bad

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

const season = 40 * time.Second

var yield = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Orchard knows how long the lock that it took lives, and lets everybody of this process
// in until then.
type Orchard struct {
	rdb *redis.Client

	mu    sync.Mutex
	taken time.Time
	last  atomic.Int64
	lease *redislock.Lock
	ends  time.Time
}

func (o *Orchard) enter(ctx context.Context, row, me string) (bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Since(o.taken) < season {
		return true, nil // want: localstate
	}
	ok, err := o.rdb.SetNX(ctx, "orchard:"+row, me, season).Result()
	if err != nil || !ok {
		return false, err
	}
	o.taken = time.Now()
	return true, nil
}

// Pick gives the lock back, whoever of this process picks beside it.
func (o *Orchard) Pick(ctx context.Context, row, me string, pick func(context.Context) error) error {
	ok, err := o.enter(ctx, row, me)
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("somebody picks there")
	}
	defer yield.Run(context.WithoutCancel(ctx), o.rdb, []string{"orchard:" + row}, me)
	return pick(ctx)
}

func (o *Orchard) stay(ctx context.Context, row, me string) (bool, error) {
	if time.Now().Unix() < o.last.Load() { // want: wallclock
		return true, nil // want: localstate
	}
	ok, err := o.rdb.SetNX(ctx, "night:"+row, me, season).Result()
	if err != nil || !ok {
		return false, err
	}
	o.last.Store(time.Now().Add(season).Unix())
	return true, nil
}

func (o *Orchard) Watch(ctx context.Context, row, me string, watch func(context.Context) error) error {
	ok, err := o.stay(ctx, row, me)
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("somebody watches already")
	}
	defer yield.Run(context.WithoutCancel(ctx), o.rdb, []string{"night:" + row}, me)
	return watch(ctx)
}

// join keeps a lock of a library.
func (o *Orchard) join(ctx context.Context, locker *redislock.Client) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ends.After(time.Now()) {
		return nil // want: localstate
	}
	l, err := locker.Obtain(ctx, "cider", season, nil)
	if err != nil {
		return err
	}
	o.lease, o.ends = l, time.Now().Add(season)
	return nil
}

func (o *Orchard) leave(ctx context.Context) error { return o.lease.Release(ctx) }

func (o *Orchard) Press(ctx context.Context, locker *redislock.Client, press func(context.Context) error) (err error) {
	if err := o.join(ctx, locker); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.leave(context.WithoutCancel(ctx))) }()
	return press(ctx)
}
