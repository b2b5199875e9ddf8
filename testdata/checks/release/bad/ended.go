package bad

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// What is handed out gives the lock back with the context that bounded the wait for it.

// Bay is a place where one truck is loaded at a time.
type Bay struct {
	locker *redislock.Client
	rs     *redsync.Redsync
}

// Enter waits for the bay; the literal is a result with a name.
func (b *Bay) Enter(ctx context.Context, n string) (leave func() error, err error) {
	short, stop := context.WithDeadline(ctx, time.Now().Add(2*time.Second))
	defer func() { stop() }()
	l, err := b.locker.Obtain(short, "bay:"+n, time.Minute, &redislock.Options{RetryStrategy: redislock.LinearBackoff(time.Second)})
	if err != nil {
		return nil, err
	}
	leave = func() error {
		return l.Release(short) // want: release
	}
	return leave, nil
}

// Load loads a truck there.
func (b *Bay) Load(ctx context.Context, n string, load func(context.Context) error) (err error) {
	leave, err := b.Enter(ctx, n)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	return load(ctx)
}

// A Slot is what somebody has of the bay.
type Slot struct {
	close func()
	Since time.Time
}

// Book cancels before it returns, with a second context made of the first.
func (b *Bay) Book(ctx context.Context, n string, lost func(error)) (*Slot, error) {
	wait, cancel := context.WithTimeout(ctx, time.Second)
	m := b.rs.NewMutex("slot:" + n)
	if err := m.LockContext(wait); err != nil {
		cancel()
		return nil, err
	}
	s := &Slot{Since: time.Now(), close: func() {
		free, done := context.WithTimeout(wait, time.Second)
		defer done()
		if ok, err := m.UnlockContext(free); err != nil || !ok { // want: release
			lost(err)
		}
	}}
	cancel()
	return s, nil
}

// Unload is a user of it.
func (b *Bay) Unload(ctx context.Context, n string, unload func(context.Context) error) error {
	s, err := b.Book(ctx, n, func(error) {})
	if err != nil {
		return err
	}
	defer s.close()
	return unload(ctx)
}

// A Ramp keeps the context in which it was waited for.
type Ramp struct {
	ctx   context.Context
	mutex *concurrency.Mutex
}

// NewRamp waits for it.
func NewRamp(ctx context.Context, s *concurrency.Session, n string) (*Ramp, error) {
	wait, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r := &Ramp{ctx: wait, mutex: concurrency.NewMutex(s, "/ramp/"+n)}
	if err := r.mutex.Lock(r.ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// Close gives it back.
func (r *Ramp) Close() error {
	return r.mutex.Unlock(r.ctx) // want: release
}

// Roll has the ramp for itself.
func Roll(ctx context.Context, c *clientv3.Client, n string, roll func(context.Context) error) (err error) {
	s, err := concurrency.NewSession(c)
	if err != nil {
		return err
	}
	defer s.Close()
	r, err := NewRamp(ctx, s, n)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return roll(ctx)
}
