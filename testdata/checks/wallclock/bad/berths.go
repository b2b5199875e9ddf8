package bad

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// Objects that know how long their lock is good, by names that say nothing.

// Berth is a place at a quay.
type Berth struct {
	*redislock.Lock
	stay time.Duration
	good time.Time
}

// Harbour gives berths out.
type Harbour struct {
	locks *redislock.Client
	stay  time.Duration
}

// Moor counts from before it asks, and in UTC.
func (h *Harbour) Moor(ctx context.Context, ship string) (*Berth, error) {
	from := time.Now().UTC()
	l, err := h.locks.Obtain(ctx, "berth:"+ship, h.stay, nil)
	if err != nil {
		return nil, err
	}
	return &Berth{Lock: l, stay: h.stay, good: from.Add(h.stay)}, nil
}

// Afloat leaves some time to cast off.
func (b *Berth) Afloat() bool { return time.Now().Before(b.good.Add(-b.stay / 8)) } // want: wallclock

// Tug gives the caller what tells the end.
func (h *Harbour) Tug(ctx context.Context, ship string) (free func(context.Context) error, pulls func() bool, err error) {
	l, err := h.locks.Obtain(ctx, "tug:"+ship, h.stay, nil)
	if err != nil {
		return nil, nil, err
	}
	end := time.Now().Add(h.stay).Truncate(time.Second)
	return l.Release, func() bool { return time.Until(end) > 0 }, nil // want: wallclock
}

// buoy keeps it as a number.
type buoy struct {
	rdb     *redis.Client
	key, me string
	sinks   int64
}

func lay(ctx context.Context, rdb *redis.Client, key string, stay time.Duration) (*buoy, error) {
	b := &buoy{rdb: rdb, key: key, me: uuid.NewString()}
	ok, err := rdb.SetNX(ctx, b.key, b.me, stay).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errors.New("somebody else's buoy")
	}
	b.sinks = time.Now().Add(stay).UnixMilli()
	return b, nil
}

func (b *buoy) floats() bool { return time.Now().UnixMilli() < b.sinks } // want: wallclock

var haul = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func (b *buoy) lift(ctx context.Context) error {
	n, err := haul.Run(ctx, b.rdb, []string{b.key}, b.me).Int()
	if err == nil && n == 0 {
		err = errors.New("the buoy was lost")
	}
	return err
}

// Mark works along its buoy.
func Mark(ctx context.Context, rdb *redis.Client, fairway string, steps []func(context.Context) error) (err error) {
	b, err := lay(ctx, rdb, "buoy:"+fairway, time.Minute) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.lift(context.WithoutCancel(ctx))) }()
	for _, step := range steps {
		if !b.floats() {
			return errors.New("the buoy sinks")
		}
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}
