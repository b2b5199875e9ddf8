// Package managed takes locks from a manager behind an interface, whose options are put together in loops: what
// becomes of them is too much to be followed, but the lock and its release are still one.
package managed

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-redsync/redsync/v4"
)

// Mutex is a lock of a Manager.
type Mutex interface {
	Lock(ctx context.Context) error
	Unlock(ctx context.Context) error
}

// Manager makes locks.
type Manager interface {
	Mutex(name string, opts ...Option) (Mutex, error)
}

// Config is what options change.
type Config struct {
	App, Space string
	Life, Wait time.Duration
	Drift      float64
	Tries      int

	Quick, Shuffle bool

	Delay func(int) time.Duration
	Owner func() (string, error)
}

// Option changes a Config.
type Option func(*Config)

// Life sets how long a lock lives.
func Life(d time.Duration) Option { return func(c *Config) { c.Life = d } }

// Remote keeps locks in Redis.
type Remote struct {
	config Config
	rs     *redsync.Redsync
}

// Mutex implements Manager.
func (r *Remote) Mutex(name string, opts ...Option) (Mutex, error) {
	c := r.config
	for _, o := range opts {
		o(&c)
	}
	set := []redsync.Option{redsync.WithExpiry(c.Life), redsync.WithTries(c.Tries), redsync.WithDriftFactor(c.Drift)}
	if c.Delay != nil {
		set = append(set, redsync.WithRetryDelayFunc(c.Delay))
	}
	if c.Owner != nil {
		set = append(set, redsync.WithGenValueFunc(c.Owner))
	}
	if c.Wait > 0 {
		set = append(set, redsync.WithRetryDelay(c.Wait))
	}
	if c.Quick {
		set = append(set, redsync.WithFailFast(c.Quick), redsync.WithTimeoutFactor(c.Drift/2))
	}
	if c.Shuffle {
		set = append(set, redsync.WithShufflePools(c.Shuffle))
	}
	return &remote{r.rs.NewMutex(c.App+":"+c.Space+":"+name, set...)}, nil
}

type remote struct{ mutex *redsync.Mutex }

func (m *remote) Lock(ctx context.Context) error {
	if err := m.mutex.LockContext(ctx); err != nil {
		return fmt.Errorf("not locked: %w", err)
	}
	return nil
}

func (m *remote) Unlock(ctx context.Context) error {
	_, err := m.mutex.UnlockContext(ctx)
	return err
}

// Local keeps locks in the process.
type Local struct {
	config Config
	mu     sync.Mutex
	all    map[string]*local
}

// Mutex implements Manager.
func (l *Local) Mutex(name string, opts ...Option) (Mutex, error) {
	c := l.config
	for _, o := range opts {
		o(&c)
	}
	return &local{key: c.App + ":" + c.Space + ":" + name, life: c.Life, wait: time.Duration(float64(c.Life) * c.Drift), tries: c.Tries, delay: c.Delay, owner: c.Owner, of: l}, nil
}

type local struct {
	key        string
	life, wait time.Duration
	tries      int
	delay      func(int) time.Duration
	owner      func() (string, error)
	of         *Local
}

func (m *local) Lock(context.Context) error   { m.of.mu.Lock(); return nil }
func (m *local) Unlock(context.Context) error { m.of.mu.Unlock(); return nil }

func take(ctx context.Context, manager Manager) (Mutex, error) {
	m, err := manager.Mutex("jobs")
	if err != nil {
		return nil, err
	}
	err = m.Lock(ctx)
	return m, err
}

// Scheduler works under a lock of its manager.
type Scheduler struct {
	manager Manager
	run     func(context.Context) error
}

// Work gives the lock back with the context that ends the work.
func (s *Scheduler) Work(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	m, err := take(ctx, s.manager) // verdict: unverified // lock: %s%s:jobs -
	if err != nil {
		return err
	}
	defer func() {
		if err := m.Unlock(ctx); err != nil { // want: release
			fmt.Println(err)
		}
	}()
	return s.run(ctx)
}
