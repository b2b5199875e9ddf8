package bad

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

// stretch renews what it is given in a function of its own, and so late that one slow
// answer is one too many.
func stretch(ctx context.Context, l *redislock.Lock, ttl time.Duration) error {
	pace := time.NewTicker(ttl * 3 / 4) // want: renewal
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

// nudge does not say for how long: that is the mutex's own affair.
func nudge(ctx context.Context, mutex *redsync.Mutex, every time.Duration) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(every): // want: renewal
		}
		if ok, err := mutex.ExtendContext(ctx); err != nil || !ok {
			return errors.Join(err, errors.New("not extended"))
		}
	}
}

// Compile has a mutex of ten seconds and nudges it every nine.
func Compile(ctx context.Context, rs *redsync.Redsync, unit func(context.Context) error) error {
	mutex := rs.NewMutex("compile", redsync.WithExpiry(10*time.Second))
	if err := mutex.LockContext(ctx); err != nil {
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() { lost(nudge(held, mutex, 9*time.Second)) }()
	return unit(held)
}

// permit is a lock of this program's own, which knows its key.
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
		return nil, errBusy
	}
	return p, nil
}

// renew overwrites whatever permit there is.
func (p *permit) renew(ctx context.Context) error {
	return p.rdb.SetXX(ctx, p.name, p.me, time.Minute).Err() // want: renewal
}

// prod is not called a renewal, but runs like one.
func prod(ctx context.Context, p *permit) error {
	return p.rdb.Expire(ctx, p.name, time.Minute).Err() // want: renewal
}

func (p *permit) revoke(ctx context.Context) error {
	return compareAndDelete.Run(ctx, p.rdb, []string{p.name}, p.me).Err()
}

// With runs work under a permit that it renews in one of two ways.
func With(ctx context.Context, rdb *redis.Client, name, me string, often bool, work func(context.Context) error) error {
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
			renew := p.renew
			if often {
				renew = func(ctx context.Context) error { return prod(ctx, p) }
			}
			if err := renew(held); err != nil {
				lost(err)
			}
			if err := prod(held, p); err != nil {
				lost(err)
			}
		}
	}()
	return work(held)
}

// A Tenure is one term of office.
type Tenure struct {
	rdb    *redis.Client
	office string
	govern func(context.Context)
}

const (
	termOfOffice = 12 * time.Second
	confirmEvery = 20 * time.Minute
)

var (
	confirm  = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`)
	abdicate = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
)

// Stand is elected, and rules in a method of its own.
func (r *Tenure) Stand(ctx context.Context, me string) error {
	elected, err := r.rdb.SetNX(ctx, r.office, me, termOfOffice).Result() // verdict: unverified
	if err != nil || !elected {
		return err
	}
	return r.rule(ctx, me)
}

// rule says first how the tenure ends.
func (r *Tenure) rule(ctx context.Context, me string) (err error) {
	held, stop := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		r.govern(held)
	}()
	defer func() {
		stop()
		<-over
		n, e := abdicate.Run(context.WithoutCancel(ctx), r.rdb, []string{r.office}, me).Int()
		if e == nil && n == 0 {
			e = errors.New("no longer in office")
		}
		err = errors.Join(err, e)
	}()
	pace := time.NewTicker(confirmEvery) // want: renewal
	defer pace.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-over:
			return nil
		case <-pace.C:
		}
		n, err := confirm.Run(ctx, r.rdb, []string{r.office}, me, termOfOffice.Milliseconds()).Int()
		if err != nil || n == 0 {
			return errors.Join(err, errors.New("voted out of office"))
		}
	}
}
