// Package good has leases whose length is what it says, in all sorts of ways.
package good

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/bsm/redislock"
	"github.com/hashicorp/consul/api"
)

type Config struct {
	LockSeconds int
	TTL         time.Duration
	LeaseNanos  int64
}

func hold(ctx context.Context, locker *redislock.Client, ttl time.Duration, work func(context.Context) error) error {
	l, err := locker.Obtain(ctx, "good", ttl, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return work(ctx)
}

func Multiplied(ctx context.Context, locker *redislock.Client, cfg Config, work func(context.Context) error) error {
	return hold(ctx, locker, time.Duration(cfg.LockSeconds)*time.Second, work)
}

func Factor(ctx context.Context, locker *redislock.Client, millis int64, work func(context.Context) error) error {
	return hold(ctx, locker, time.Duration(millis*1_000_000), work)
}

func Nanos(ctx context.Context, locker *redislock.Client, cfg Config, work func(context.Context) error) error {
	return hold(ctx, locker, time.Duration(cfg.LeaseNanos), work)
}

func Half(ctx context.Context, locker *redislock.Client, cfg Config, work func(context.Context) error) error {
	return hold(ctx, locker, time.Duration(int64(cfg.TTL)/2), work)
}

func Jittered(ctx context.Context, locker *redislock.Client, cfg Config, work func(context.Context) error) error {
	return hold(ctx, locker, cfg.TTL+time.Duration(rand.Int64N(int64(cfg.TTL))), work)
}

func Left(ctx context.Context, locker *redislock.Client, endNs int64, work func(context.Context) error) error {
	return hold(ctx, locker, time.Duration(endNs-time.Now().UnixNano()), work)
}

func Until(ctx context.Context, locker *redislock.Client, end time.Time, work func(context.Context) error) error {
	return hold(ctx, locker, time.Until(end), work)
}

// Twice shows that a conversion which is no lease's is nobody's business here.
func Twice(n int) time.Duration { return time.Duration(n) }

func Consul(ctx context.Context, client *api.Client, work func(context.Context) error) error {
	l, err := client.LockOpts(&api.LockOptions{Key: "good", SessionTTL: "10s"})
	if err != nil {
		return err
	}
	lost, err := l.Lock(ctx.Done())
	if err != nil || lost == nil {
		return err
	}
	defer l.Unlock()
	held, stop := context.WithCancel(ctx)
	go func() {
		<-lost
		stop()
	}()
	return work(held)
}

// Pause is read from text such as "90s": a type of the program's own may be a length
// of time as it is.
type Pause int64

func (p *Pause) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	*p = Pause(d)
	return err
}

type Settings struct{ Lease Pause }

func Configured(ctx context.Context, locker *redislock.Client, s *Settings, work func(context.Context) error) error {
	return hold(ctx, locker, time.Duration(s.Lease), work)
}
