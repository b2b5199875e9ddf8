package bad

import (
	"context"
	"errors"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/google/uuid"
	goredis "github.com/redis/go-redis/v9"
)

const tide = 45 * time.Second

var ebb = goredis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Stored again, the owner's value renews a lease that may be somebody else's by now.
func Stored(ctx context.Context, rdb *goredis.Client, harbour, me string, work func(context.Context) error) error {
	key := "harbour:" + harbour
	ok, err := rdb.SetNX(ctx, key, me, tide).Result() // verdict: unverified
	if err != nil || !ok {
		return errors.Join(errors.New("the harbour is taken"), err)
	}
	defer ebb.Run(context.WithoutCancel(ctx), rdb, []string{key}, me)
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() {
		for {
			select {
			case <-held.Done():
				return
			case <-time.After(tide / 5):
			}
			if err := rdb.SetEx(held, key, me, tide).Err(); err != nil { // want: renewal
				lost(err)
				return
			}
		}
	}()
	return work(held)
}

// Pier takes and renews in methods, and says the command word by word.
type Pier struct {
	pool *redis.Pool
	key  string
	me   string
}

func (p *Pier) TryLock() (bool, error) {
	c := p.pool.Get()
	defer c.Close()
	_, err := redis.String(c.Do("SET", p.key, p.me, "NX", "PX", tide.Milliseconds()))
	if errors.Is(err, redis.ErrNil) {
		return false, nil
	}
	return err == nil, err
}

var clearPier = redis.NewScript(1, `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func (p *Pier) Unlock() error {
	c := p.pool.Get()
	defer c.Close()
	n, err := redis.Int(clearPier.Do(c, p.key, p.me))
	if err == nil && n == 0 {
		err = errors.New("the pier was not ours")
	}
	return err
}

func (p *Pier) refresh() error {
	c := p.pool.Get()
	defer c.Close()
	_, err := c.Do("SET", p.key, p.me, "PX", tide.Milliseconds()) // want: renewal
	return err
}

// Keep refreshes until it fails or the work is done.
func (p *Pier) Keep(ctx context.Context, lost context.CancelCauseFunc) {
	for ctx.Err() == nil {
		time.Sleep(tide / 5)
		if err := p.refresh(); err != nil {
			lost(err)
			return
		}
	}
}

// slip is what a boat that is let in keeps.
type slip struct {
	rdb     *goredis.Client
	key, me string
	sink    context.CancelFunc
}

// LetIn starts what keeps the slip.
func LetIn(ctx context.Context, rdb *goredis.Client, boat string) (context.Context, *slip, error) {
	s := &slip{rdb: rdb, key: "slip:" + boat, me: uuid.NewString()}
	ok, err := rdb.SetNX(ctx, s.key, s.me, tide).Result()
	if err != nil || !ok {
		return nil, nil, errors.Join(errors.New("no slip is free"), err)
	}
	held, sink := context.WithCancel(ctx)
	s.sink = sink
	go s.keep(held)
	return held, s, nil
}

func (s *slip) keep(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(tide / 5):
		}
		if ok, err := s.rdb.SetXX(ctx, s.key, s.me, tide).Result(); err != nil || !ok { // want: renewal
			s.sink()
			return
		}
	}
}

// LetOut gives the slip back.
func (s *slip) LetOut(ctx context.Context) error {
	s.sink()
	n, err := ebb.Run(context.WithoutCancel(ctx), s.rdb, []string{s.key}, s.me).Int()
	if err == nil && n == 0 {
		err = errors.New("the slip was not ours")
	}
	return err
}

// Quay hands what it knows to those who keep the lock, one call at a time.
type Quay struct{ rdb *goredis.Client }

// Moor runs work, and ends it where the mooring is lost.
func (q *Quay) Moor(ctx context.Context, boat string, work func(context.Context) error) (err error) {
	key, me := "mooring:"+boat, uuid.NewString()
	ok, err := q.rdb.SetNX(ctx, key, me, tide).Result()
	if err != nil || !ok {
		return errors.Join(errors.New("moored elsewhere"), err)
	}
	held, sink := context.WithCancel(ctx)
	defer sink()
	go q.hold(held, key, sink)
	defer func() {
		n, e := ebb.Run(context.WithoutCancel(ctx), q.rdb, []string{key}, me).Int()
		if e == nil && n == 0 {
			e = errors.New("the mooring was not ours")
		}
		err = errors.Join(err, e)
	}()
	return work(held)
}

func (q *Quay) hold(ctx context.Context, key string, sink context.CancelFunc) {
	tick := time.NewTicker(tide / 5)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if ok, err := q.rdb.Expire(ctx, key, tide).Result(); err != nil || !ok { // want: renewal
			sink()
			return
		}
	}
}

// Anchor leaves it to its caller when to renew.
func (q *Quay) Anchor(ctx context.Context, boat string) (renew, weigh func(context.Context) error, err error) {
	key, me := "anchor:"+boat, uuid.NewString()
	ok, err := q.rdb.SetNX(ctx, key, me, tide).Result()
	if err != nil || !ok {
		return nil, nil, errors.Join(errors.New("anchored elsewhere"), err)
	}
	renew = func(ctx context.Context) error {
		ok, err := q.rdb.SetXX(ctx, key, me, tide).Result() // want: renewal
		if err == nil && !ok {
			err = errors.New("the anchor is lost")
		}
		return err
	}
	weigh = func(ctx context.Context) error {
		n, err := ebb.Run(context.WithoutCancel(ctx), q.rdb, []string{key}, me).Int()
		if err == nil && n == 0 {
			err = errors.New("the anchor was not ours")
		}
		return err
	}
	return renew, weigh, nil
}

// Calm works while boats are in.
func (q *Quay) Calm(ctx context.Context, boat string, work func(context.Context) error) (err error) {
	held, s, err := LetIn(ctx, q.rdb, boat)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.LetOut(ctx)) }()
	return work(held)
}

// Storm works by turns.
func (q *Quay) Storm(ctx context.Context, boat string, work func(context.Context) error) (err error) {
	renew, weigh, err := q.Anchor(ctx, boat)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, weigh(ctx)) }()
	for range 20 {
		if err := work(ctx); err != nil {
			return err
		}
		if err := renew(ctx); err != nil {
			return err
		}
	}
	return nil
}
