package bad

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Press keeps a press for one host, and the context of its work.
type Press struct {
	lock *redislock.Lock
	ctx  context.Context
	stop context.CancelFunc
}

// TakePress takes it.
func TakePress(ctx context.Context, c *redislock.Client, name string) (*Press, error) {
	lock, err := c.Obtain(ctx, "press:"+name, time.Minute, nil)
	if err != nil {
		return nil, err
	}
	p := &Press{lock: lock}
	p.ctx, p.stop = context.WithCancel(ctx)
	go p.refresh()
	return p, nil
}

func (p *Press) refresh() {
	tick := time.NewTicker(15 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-tick.C:
			if err := p.lock.Refresh(p.ctx, time.Minute, nil); err != nil {
				p.stop()
				return
			}
		}
	}
}

// Release ends the refresh first.
func (p *Press) Release() error {
	p.stop()
	return p.lock.Release(p.ctx) // want: release
}

// Print works on the press.
func Print(ctx context.Context, c *redislock.Client, name string, work func(context.Context) error) (err error) {
	p, err := TakePress(ctx, c, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Release()) }()
	return work(p.ctx)
}

// Mill is another one, of etcd.
type Mill struct {
	mutex  *concurrency.Mutex
	life   context.Context
	cancel context.CancelCauseFunc
}

// NewMill is a mill that nobody has.
func NewMill(ctx context.Context, s *concurrency.Session, name string) *Mill {
	life, cancel := context.WithCancelCause(ctx)
	return &Mill{mutex: concurrency.NewMutex(s, "/mill/"+name), life: life, cancel: cancel}
}

// Lock waits for it.
func (l *Mill) Lock() error { return l.mutex.Lock(l.life) }

func (l *Mill) end() { l.cancel(errors.New("mill is given back")) }

// Unlock gives it back within a second, it thinks.
func (l *Mill) Unlock() error {
	l.end()
	ctx, cancel := context.WithTimeout(l.life, time.Second)
	defer cancel()
	return l.mutex.Unlock(ctx) // want: release
}

// Grind has the mill for itself.
func Grind(ctx context.Context, c *clientv3.Client, name string, work func(context.Context) error) (err error) {
	s, err := concurrency.NewSession(c)
	if err != nil {
		return err
	}
	defer s.Close()
	l := NewMill(ctx, s, name)
	if err := l.Lock(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Unlock()) }()
	return work(ctx)
}
