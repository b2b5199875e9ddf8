package bad

import (
	"context"
	"time"

	"github.com/hashicorp/consul/api"
)

// Settings of a Watch. Nobody sets the pause to anything else than New does.
type Settings struct {
	TTL   time.Duration
	Pause time.Duration
}

type Setting func(*Settings)

func TTL(d time.Duration) Setting { return func(s *Settings) { s.TTL = d } }

type Watch struct {
	client *api.Client
	set    Settings
}

func New(client *api.Client, list ...Setting) *Watch {
	w := &Watch{client: client, set: Settings{TTL: 15 * time.Second, Pause: time.Nanosecond}}
	for _, s := range list {
		s(&w.set)
	}
	return w
}

// Stand keeps watch until ctx ends.
func (w *Watch) Stand(ctx context.Context, look func(context.Context) error) error {
	l, err := w.client.LockOpts(&api.LockOptions{Key: "watch", SessionTTL: w.set.TTL.String(), LockDelay: w.set.Pause}) // want: lockdelay // linked
	if err != nil {
		return err
	}
	lost, err := l.Lock(ctx.Done())
	if err != nil || lost == nil {
		return err
	}
	defer l.Unlock()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer stop()
		select {
		case <-lost:
		case <-ctx.Done():
		}
	}()
	return look(ctx)
}
