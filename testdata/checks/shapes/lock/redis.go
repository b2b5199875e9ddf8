// Package lock is a company's lock library: the forms in which programs hand locks on to the rest of their code. It
// has no uses of its own.
package lock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// ErrHeld says that somebody else has the lock.
var ErrHeld = errors.New("held by somebody else")

var (
	release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
	extend  = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`)
)

type options struct {
	prefix string
	ttl    time.Duration
	tries  int
}

// Option changes how a lock is taken.
type Option func(*options)

// WithTTL sets how long the lease lives.
func WithTTL(ttl time.Duration) Option { return func(o *options) { o.ttl = ttl } }

// WithPrefix sets what comes before the name in the key.
func WithPrefix(prefix string) Option {
	return func(o *options) { o.prefix = prefix + ":" }
}

// WithTries sets how often a taken lock is tried.
func WithTries(n int) Option { return func(o *options) { o.tries = n } }

// Client takes locks in one Redis.
type Client struct{ rdb *redis.Client }

func NewClient(rdb *redis.Client) *Client { return &Client{rdb: rdb} }

// Mutex is a lock that is not held yet.
type Mutex struct {
	rdb   *redis.Client
	key   string
	owner string
	opts  options
}

// Mutex prepares the lock of that name.
func (c *Client) Mutex(name string, opts ...Option) *Mutex {
	o := options{prefix: "lock:", ttl: 20 * time.Second, tries: 3}
	for _, opt := range opts {
		opt(&o)
	}
	return &Mutex{rdb: c.rdb, key: o.prefix + name, owner: uuid.NewString(), opts: o}
}

// Lock tries a few times.
func (m *Mutex) Lock(ctx context.Context) error {
	for range m.opts.tries {
		ok, err := m.rdb.SetNX(ctx, m.key, m.owner, m.opts.ttl).Result()
		if err != nil {
			return err
		}
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	return ErrHeld
}

func (m *Mutex) Unlock() error {
	return release.Run(context.Background(), m.rdb, []string{m.key}, m.owner).Err()
}

// Config sets the properties of a Pool; what is zero has a default.
type Config struct {
	Prefix string
	TTL    time.Duration
}

// Pool takes locks as its Config says.
type Pool struct {
	rdb *redis.Client
	cfg Config
}

func NewPool(rdb *redis.Client, cfg Config) *Pool {
	if cfg.TTL == 0 {
		cfg.TTL = 12 * time.Second
	}
	if cfg.Prefix == "" {
		cfg.Prefix = "pool"
	}
	return &Pool{rdb: rdb, cfg: cfg}
}

// Held is a lock that is held.
type Held struct {
	rdb        *redis.Client
	key, owner string
}

// Acquire returns the held lock.
func (p *Pool) Acquire(ctx context.Context, id int64) (*Held, error) {
	h := &Held{rdb: p.rdb, key: fmt.Sprintf("%s:%d", p.cfg.Prefix, id), owner: uuid.NewString()}
	ok, err := p.rdb.SetNX(ctx, h.key, h.owner, p.cfg.TTL).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrHeld
	}
	return h, nil
}

func (h *Held) Release(ctx context.Context) error {
	return release.Run(ctx, h.rdb, []string{h.key}, h.owner).Err()
}

// Extend starts the lease anew.
func (h *Held) Extend(ctx context.Context, ttl time.Duration) error {
	n, err := extend.Run(ctx, h.rdb, []string{h.key}, h.owner, ttl.Milliseconds()).Int()
	if err != nil {
		return err
	}
	if n == 0 {
		return ErrHeld
	}
	return nil
}

// Try returns what gives the lock back, and whether it was taken at all.
func (c *Client) Try(ctx context.Context, key string, ttl time.Duration) (unlock func(), ok bool, err error) {
	owner := uuid.NewString()
	ok, err = c.rdb.SetNX(ctx, key, owner, ttl).Result()
	if err != nil || !ok {
		return func() {}, false, err
	}
	return func() { release.Run(context.Background(), c.rdb, []string{key}, owner) }, true, nil
}

// Must is a wrapper of a wrapper: it waits.
func (c *Client) Must(ctx context.Context, kind string, id int64, opts ...Option) (func(), error) {
	m := c.Mutex(fmt.Sprintf("%s:%d", kind, id), opts...)
	if err := m.Lock(ctx); err != nil {
		return nil, fmt.Errorf("lock %s %d: %w", kind, id, err)
	}
	return func() { _ = m.Unlock() }, nil
}

// With runs fn under a lock. It is two calls away from the store.
func (c *Client) With(ctx context.Context, name string, fn func(ctx context.Context) error, opts ...Option) (err error) {
	m := c.Mutex(name, opts...)
	if err := m.Lock(ctx); err != nil {
		return err
	}
	defer func() {
		if uerr := m.Unlock(); uerr != nil && err == nil {
			err = uerr
		}
	}()
	return fn(ctx)
}

// Once is a wrapper of a callback wrapper: the loser does nothing.
func (c *Client) Once(ctx context.Context, name string, fn func(ctx context.Context) error) error {
	err := c.With(ctx, "once:"+name, fn, WithTries(1), WithTTL(time.Minute))
	if errors.Is(err, ErrHeld) {
		return nil
	}
	return err
}

// Value runs fn under a lock and hands on what it returns.
func Value[T any](ctx context.Context, c *Client, name string, fn func(ctx context.Context) (T, error)) (T, error) {
	var out T
	err := c.With(ctx, name, func(ctx context.Context) error {
		var err error
		out, err = fn(ctx)
		return err
	})
	return out, err
}

// Keep holds a lock for as long as nobody calls the function that it returns: a goroutine extends the lease, and
// gives it back in the end.
func (p *Pool) Keep(ctx context.Context, id int64) (stop func(), err error) {
	h, err := p.Acquire(ctx, id)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				_ = h.Release(context.WithoutCancel(ctx))
				return
			case <-tick.C:
				if err := h.Extend(ctx, 10*time.Second); err != nil {
					return
				}
			}
		}
	}()
	return func() { cancel(); <-done }, nil
}
