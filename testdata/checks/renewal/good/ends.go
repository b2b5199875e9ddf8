package good

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/bsm/redislock"
	"github.com/hashicorp/consul/api"
)

// Ends renews until the renewal fails or the work is done.
func Ends(ctx context.Context, locker *redislock.Client, work func(context.Context) error) error {
	l, err := locker.Obtain(ctx, "ends", 30*time.Second, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	held, lost := context.WithCancel(ctx)
	defer lost()
	go func() {
		for range time.Tick(10 * time.Second) {
			if held.Err() != nil {
				return
			}
			if err := l.Refresh(held, 30*time.Second, nil); err != nil {
				lost()
				return
			}
		}
	}()
	return work(held)
}

// Waits takes the lock again and again until it has it: that is no renewal.
func Waits(ctx context.Context, locker *redislock.Client, work func(context.Context) error) error {
	for {
		l, err := locker.Obtain(ctx, "waits", 30*time.Second, nil)
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		err = work(ctx)
		l.Release(context.WithoutCancel(ctx))
		return err
	}
}

// Seat keeps a Consul session and gives up its claim where the session is gone: what
// is renewed, and what becomes of a failure, is told by a field.
type Seat struct {
	client  *api.Client
	session string
	taken   bool
}

func (s *Seat) Take(ctx context.Context) error {
	got, _, err := s.client.KV().Acquire(&api.KVPair{Key: "seat", Session: s.session}, nil)
	s.taken = got
	return err
}

func (s *Seat) keep() error {
	entry, _, err := s.client.Session().Info(s.session, nil)
	if err != nil || entry == nil {
		s.taken = false
		return errors.Join(err, errors.New("session is gone"))
	}
	_, _, err = s.client.Session().Renew(s.session, nil)
	return err
}

// Run looks at nothing but the field.
func (s *Seat) Run(ctx context.Context, turn func(context.Context) error) {
	for ctx.Err() == nil {
		if err := s.keep(); err != nil {
			log.Print(err)
		}
		if s.taken {
			turn(ctx)
		}
		time.Sleep(5 * time.Second)
	}
}

// Tallies counts the votes of an hour in one place. What is done is kept from the others
// for the rest of the hour: that the lock lives longer is of no use to anybody by then.
func Tallies(ctx context.Context, locker *redislock.Client, hours <-chan string, tally func(context.Context, string) error) {
	for hour := range hours {
		l, err := locker.Obtain(ctx, "tally:"+hour, 10*time.Minute, nil) // verdict: unverified
		if err != nil {
			continue
		}
		if err := tally(ctx, hour); err != nil {
			log.Print(err)
			continue
		}
		_ = l.Refresh(ctx, time.Hour, nil)
	}
}
