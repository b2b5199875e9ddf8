package bad

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
)

// batch asks the lock itself until when it holds, and loses the reading on the way.
func batch(ctx context.Context, rs *redsync.Redsync, step func() bool) error {
	m := rs.NewMutex("batch", redsync.WithExpiry(30*time.Second))
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.UnlockContext(context.WithoutCancel(ctx))
	stop := m.Until().Add(-5 * time.Second).Round(time.Second)
	for step() {
		if time.Now().After(stop) { // want: wallclock
			return nil
		}
	}
	return nil
}

// shift keeps it in a field.
type shift struct {
	lock *redislock.Lock
	over time.Time
}

func (s *shift) begin(ctx context.Context) error {
	left, err := s.lock.TTL(ctx)
	if err != nil {
		return err
	}
	s.over = time.Now().UTC().Add(left)
	return nil
}

func (s *shift) goesOn() bool {
	return time.Until(s.over) > 0 // want: wallclock
}

func day(ctx context.Context, locker *redislock.Client, step func()) error {
	l, err := locker.Obtain(ctx, "day", time.Minute, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	s := &shift{lock: l}
	if err := s.begin(ctx); err != nil {
		return err
	}
	for s.goesOn() {
		step()
	}
	return nil
}

// handed gives it to a helper as seconds.
func handed(ctx context.Context, rs *redsync.Redsync, step func()) error {
	m := rs.NewMutex("handed", redsync.WithExpiry(30*time.Second))
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer m.UnlockContext(context.WithoutCancel(ctx))
	for early(m.Until().Unix()) {
		step()
	}
	return nil
}

func early(end int64) bool { return time.Now().Unix() < end } // want: wallclock
