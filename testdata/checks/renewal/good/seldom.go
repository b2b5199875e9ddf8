package good

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// stretch renews four times in the life that it is told.
func stretch(ctx context.Context, l *redislock.Lock, ttl time.Duration) error {
	pace := time.NewTicker(ttl / 4)
	defer pace.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-pace.C:
		}
		if err := l.Refresh(ctx, ttl, nil); err != nil {
			return err
		}
	}
}

// Render stretches its lock.
func Render(ctx context.Context, locker *redislock.Client, frame func(context.Context) error) error {
	l, err := locker.Obtain(ctx, "render", 40*time.Second, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() { lost(stretch(held, l, 40*time.Second)) }()
	return frame(held)
}

// permit renews only what is its own.
type permit struct {
	rdb  *redis.Client
	name string
	me   string
}

func grant(ctx context.Context, rdb *redis.Client, name, me string) (*permit, error) {
	p := &permit{rdb: rdb, name: name, me: me}
	ok, err := rdb.SetNX(ctx, name, me, time.Minute).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errors.New("no permit")
	}
	return p, nil
}

func (p *permit) renew(ctx context.Context) error {
	n, err := extend.Run(ctx, p.rdb, []string{p.name}, p.me, time.Minute.Milliseconds()).Int()
	if err == nil && n == 0 {
		err = errLost
	}
	return err
}

func (p *permit) revoke(ctx context.Context) error {
	return drop.Run(ctx, p.rdb, []string{p.name}, p.me).Err()
}

var (
	extend = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
return 0`)
	drop = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`)
)

// With runs work under a permit.
func With(ctx context.Context, rdb *redis.Client, name, me string, work func(context.Context) error) error {
	p, err := grant(ctx, rdb, "permit:"+name, me)
	if err != nil {
		return err
	}
	defer p.revoke(context.WithoutCancel(ctx))
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() {
		for held.Err() == nil {
			time.Sleep(15 * time.Second)
			if err := p.renew(held); err != nil {
				lost(err)
			}
		}
	}()
	return work(held)
}

// entry keeps its key in a field as well, and is only a cache.
type entry struct {
	rdb  *redis.Client
	name string
}

func (e *entry) refresh(ctx context.Context) error {
	return e.rdb.Expire(ctx, e.name, time.Minute).Err()
}

// A Tenure is one term of office.
type Tenure struct {
	rdb    *redis.Client
	office string
	govern func(context.Context)
}

const (
	termOfOffice = 12 * time.Second
	confirmEvery = 3 * time.Second
	inspectEvery = 20 * time.Minute
)

// Stand is elected, and rules in a method of its own.
func (r *Tenure) Stand(ctx context.Context, me string) error {
	elected, err := r.rdb.SetNX(ctx, r.office, me, termOfOffice).Result() // verdict: unverified
	if err != nil || !elected {
		return err
	}
	return r.rule(ctx, me)
}

// rule has another ticker than that of its term, for what it does meanwhile.
func (r *Tenure) rule(ctx context.Context, me string) (err error) {
	held, stop := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		tour := time.NewTicker(inspectEvery)
		defer tour.Stop()
		for {
			select {
			case <-held.Done():
				return
			case <-tour.C:
				r.govern(held)
			}
		}
	}()
	defer func() {
		stop()
		<-over
		n, e := drop.Run(context.WithoutCancel(ctx), r.rdb, []string{r.office}, me).Int()
		if e == nil && n == 0 {
			e = errLost
		}
		err = errors.Join(err, e)
	}()
	pace := time.NewTicker(confirmEvery)
	defer pace.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-over:
			return nil
		case <-pace.C:
		}
		n, err := extend.Run(ctx, r.rdb, []string{r.office}, me, termOfOffice.Milliseconds()).Int()
		if err != nil || n == 0 {
			return errors.Join(err, errLost)
		}
	}
}
