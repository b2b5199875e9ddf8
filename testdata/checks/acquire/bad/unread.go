package bad

import (
	"context"
	"time"

	"github.com/hashicorp/consul/api"
)

// A Seal is a lock on a vault, and the channel that tells its loss.
type Seal struct {
	lock   *api.Lock
	broken <-chan struct{}
}

// Close waits for as long as ctx does. Whoever gets the seal waits for its channel, and
// nobody asks whether there is one.
func Close(ctx context.Context, client *api.Client, vault string) (*Seal, error) {
	l, err := client.LockKey("vault/" + vault)
	if err != nil {
		return nil, err
	}
	broken, err := l.Lock(ctx.Done()) // want: acquire
	if err != nil {
		return nil, err
	}
	return &Seal{lock: l, broken: broken}, nil
}

// Open gives the lock back.
func (s *Seal) Open() error { return s.lock.Unlock() }

// Within runs work until the seal breaks.
func (s *Seal) Within(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.broken:
			cancel()
		case <-ctx.Done():
		}
	}()
	return work(ctx)
}

// Count opens the vault for a while.
func Count(ctx context.Context, client *api.Client, vault string, count func(context.Context) error) (err error) {
	wait, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	s, err := Close(wait, client, vault)
	if err != nil {
		return err
	}
	defer s.Open()
	return s.Within(ctx, count)
}

// A Warden keeps its lock for itself.
type Warden struct {
	lock   *api.Lock
	broken <-chan struct{}
	posted bool
}

// Post tells by a bool what it does not know.
func (w *Warden) Post(stop <-chan struct{}) (bool, error) {
	broken, err := w.lock.Lock(stop) // want: acquire
	if err != nil {
		return false, err
	}
	w.broken, w.posted = broken, true
	return true, nil
}

// Relieve gives the lock back.
func (w *Warden) Relieve() error { return w.lock.Unlock() }

// Guard does a round in each hour.
func (w *Warden) Guard(ctx context.Context, round func(context.Context) error) error {
	if ok, err := w.Post(ctx.Done()); err != nil || !ok {
		return err
	}
	defer w.Relieve()
	for {
		select {
		case <-w.broken:
			return nil
		case <-time.After(time.Hour):
		}
		if err := round(ctx); err != nil {
			return err
		}
	}
}
