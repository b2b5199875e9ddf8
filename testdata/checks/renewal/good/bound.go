package good

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
)

// Kiln is a lock that is kept in a field.
type Kiln struct {
	lock *redislock.Lock
	out  context.CancelFunc
	cold chan struct{}
}

// Fire waits for the kiln, and stokes it for as long as it is held.
func Fire(ctx context.Context, locker *redislock.Client) (*Kiln, error) {
	patience, enough := context.WithTimeout(ctx, 3*time.Second)
	defer enough()
	l, err := locker.Obtain(patience, "kiln", time.Minute, &redislock.Options{RetryStrategy: redislock.LinearBackoff(time.Second)})
	if err != nil {
		return nil, err
	}
	k := &Kiln{lock: l, cold: make(chan struct{})}
	var burning context.Context
	burning, k.out = context.WithCancel(ctx)
	go k.stoke(burning)
	return k, nil
}

func (k *Kiln) stoke(ctx context.Context) {
	defer close(k.cold)
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(20 * time.Second):
			if err := k.lock.Refresh(ctx, time.Minute, nil); err != nil {
				return
			}
		}
	}
}

// Cool lets it go out.
func (k *Kiln) Cool(ctx context.Context) error {
	k.out()
	<-k.cold
	return k.lock.Release(ctx)
}

// Loom is renewed by a closure, on a context that is cancelled where it fails.
type Loom struct {
	mutex *redsync.Mutex
	lost  chan error
	stop  context.CancelFunc
}

// Weave gives the cancel function on.
func Weave(ctx context.Context, rs *redsync.Redsync, ready func() error) (*Loom, error) {
	held, cancel := context.WithCancel(ctx)
	m := rs.NewMutex("loom", redsync.WithExpiry(time.Minute))
	if err := m.LockContext(held); err != nil {
		cancel()
		return nil, err
	}
	l := &Loom{mutex: m, lost: make(chan error, 1), stop: cancel}
	go func() {
		for {
			time.Sleep(20 * time.Second)
			if ok, err := m.ExtendContext(held); err != nil || !ok {
				l.lost <- err
				return
			}
		}
	}()
	if err := ready(); err != nil {
		cancel()
		m.UnlockContext(ctx)
		return nil, err
	}
	return l, nil
}

// Rest unlocks the loom.
func (l *Loom) Rest(ctx context.Context) (bool, error) {
	l.stop()
	return l.mutex.UnlockContext(ctx)
}
