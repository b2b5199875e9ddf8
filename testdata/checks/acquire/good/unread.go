package good

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

// Close waits for as long as ctx does.
func Close(ctx context.Context, client *api.Client, vault string) (*Seal, error) {
	l, err := client.LockKey("vault/" + vault)
	if err != nil {
		return nil, err
	}
	broken, err := l.Lock(ctx.Done())
	if err != nil {
		return nil, err
	}
	return &Seal{lock: l, broken: broken}, nil
}

// Closed is asked by everybody who has got a seal.
func (s *Seal) Closed() bool { return s.broken != nil }

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
	if !s.Closed() {
		return errBusy
	}
	defer s.Open()
	return s.Within(ctx, count)
}

// A Warden keeps its lock for itself.
type Warden struct {
	lock   *api.Lock
	broken <-chan struct{}
}

// Post asks for the reason that there is to give up.
func (w *Warden) Post(ctx context.Context) error {
	broken, err := w.lock.Lock(ctx.Done())
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	w.broken = broken
	return nil
}

// Relieve gives the lock back.
func (w *Warden) Relieve() error { return w.lock.Unlock() }

// Guard does a round in each hour.
func (w *Warden) Guard(ctx context.Context, round func(context.Context) error) error {
	if err := w.Post(ctx); err != nil {
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
