package bounded

import (
	"context"
	"time"

	"github.com/bsm/redislock"
)

// Settings come with lengths that go together, in each of two ways.
type Settings struct {
	Lease time.Duration
	Beat  time.Duration
}

// Defaults beats four times.
func Defaults() Settings { return Settings{Lease: 40 * time.Second, Beat: 10 * time.Second} }

// Slow has a longer beat, and a lease that is longer as well.
func Slow() Settings { return Settings{Lease: 4 * time.Minute, Beat: time.Minute} }

// Kiosk is open while its lock is held.
type Kiosk struct {
	locker *redislock.Client
	set    Settings
}

func NewKiosk(locker *redislock.Client, slow bool) *Kiosk {
	k := &Kiosk{locker: locker, set: Defaults()}
	if slow {
		k.set = Slow()
	}
	return k
}

func (k *Kiosk) Open(ctx context.Context, sell func(context.Context) error) (err error) {
	l, err := k.locker.Obtain(ctx, "kiosk", k.set.Lease, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	held, lost := context.WithCancel(ctx)
	defer lost()
	go k.beat(held, l, lost)
	return sell(held)
}

func (k *Kiosk) beat(ctx context.Context, l *redislock.Lock, lost context.CancelFunc) {
	tick := time.NewTicker(k.set.Beat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := l.Refresh(ctx, k.set.Lease, nil); err != nil {
				lost()
				return
			}
		}
	}
}
