package bounded

import (
	"context"
	"time"

	"github.com/bsm/redislock"
)

// Settings come with lengths that do not go together.
type Settings struct {
	Lease time.Duration
	Beat  time.Duration
}

// Defaults has hardly time for one failure.
func Defaults() Settings { return Settings{Lease: 40 * time.Second, Beat: 32 * time.Second} }

// Kiosk is open while its lock is held.
type Kiosk struct {
	locker *redislock.Client
	set    Settings
}

func NewKiosk(locker *redislock.Client) *Kiosk { return &Kiosk{locker: locker, set: Defaults()} }

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
	tick := time.NewTicker(k.set.Beat) // want: renewal
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

const pulse = 50 * time.Second

// Stand has its length from an option, or from here.
type Stand struct {
	locker *redislock.Client
	lease  time.Duration
}

// Long gives it another.
func Long(d time.Duration) func(*Stand) { return func(s *Stand) { s.lease = d } }

func NewStand(locker *redislock.Client, opts ...func(*Stand)) *Stand {
	s := &Stand{locker: locker, lease: time.Minute}
	for _, o := range opts {
		o(s)
	}
	return s
}

func (s *Stand) Open(ctx context.Context, sell func(context.Context) error) (err error) {
	l, err := s.locker.Obtain(ctx, "stand", s.lease, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	held, lost := context.WithCancel(ctx)
	defer lost()
	go func() {
		tick := time.NewTicker(pulse) // want: renewal
		defer tick.Stop()
		for {
			select {
			case <-held.Done():
				return
			case <-tick.C:
				if err := l.Refresh(held, s.lease, nil); err != nil {
					lost()
					return
				}
			}
		}
	}()
	return sell(held)
}
