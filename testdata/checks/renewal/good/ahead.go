package good

import (
	"context"
	"time"

	"github.com/bsm/redislock"
)

// rhythm is set where a program starts.
type rhythm struct{ life, slack time.Duration }

// Choir sings in rhythms that are set in one place each.
type Choir struct {
	locker *redislock.Client
	rhythm
}

func quick(locker *redislock.Client) *Choir {
	return &Choir{locker: locker, rhythm: rhythm{life: 30 * time.Second, slack: 2 * time.Second}}
}

func slow(locker *redislock.Client) *Choir {
	return &Choir{locker: locker, rhythm: rhythm{life: time.Minute, slack: 25 * time.Second}}
}

// Chorale waits for a third of the life, and a little less: in the slow rhythm for nothing
// at all, which is for whoever sets it to see.
func (c *Choir) Chorale(ctx context.Context, verse func(context.Context) error) error {
	l, err := c.locker.Obtain(ctx, "choir", c.life, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() { lost(breathe(held, l, c.life, c.life/3-c.slack)) }()
	return verse(held)
}

// Chant is told by its caller by how much earlier it renews.
func (c *Choir) Chant(ctx context.Context, life, ahead time.Duration, verse func(context.Context) error) error {
	l, err := c.locker.Obtain(ctx, "chant", life, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() { lost(breathe(held, l, life, life-ahead)) }()
	return verse(held)
}

func breathe(ctx context.Context, l *redislock.Lock, life, pause time.Duration) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		if err := l.Refresh(ctx, life, nil); err != nil {
			return err
		}
	}
}
