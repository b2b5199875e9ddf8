// Package rounds runs the rounds of a warehouse's robots. What it locks with is set by the
// application: a package beside it fits, which neither imports nor is imported.
package rounds

import (
	"context"
	"errors"
	"log"
	"time"
)

// Locker keeps one host at a robot.
type Locker interface {
	Lock(ctx context.Context, robot string, ttl time.Duration) (bool, error)
	Refresh(ctx context.Context, robot string, ttl time.Duration) error
	Unlock(ctx context.Context, robot string) error
}

// Gate is one door, whose way back comes with it.
type Gate interface {
	TryLock(ctx context.Context, door string) (unlock func(context.Context) error, err error)
}

// local serves a single host.
type local struct{}

func (local) Lock(context.Context, string, time.Duration) (bool, error) { return true, nil }
func (local) Refresh(context.Context, string, time.Duration) error      { return nil }
func (local) Unlock(context.Context, string) error                      { return nil }

// Fleet has the robots of one hall.
type Fleet struct {
	locks Locker
	gate  Gate
	drive func(ctx context.Context, robot string) error
}

// New makes a fleet for one host, until UseLocker says otherwise.
func New(drive func(ctx context.Context, robot string) error) *Fleet {
	return &Fleet{locks: local{}, drive: drive}
}

// UseLocker sets the locks of several hosts.
func (f *Fleet) UseLocker(l Locker) { f.locks = l }

// UseGate sets the doors.
func (f *Fleet) UseGate(g Gate) { f.gate = g }

var errBusy = errors.New("robot is busy")

// Unasked looks at the error only.
func (f *Fleet) Unasked(ctx context.Context, robot string) error {
	if _, err := f.locks.Lock(ctx, robot, time.Minute); err != nil { // want: acquire // verdict: unverified // linked
		return err
	}
	defer f.unlock(ctx, robot)
	return f.drive(ctx, robot)
}

// Asked looks at the answer as well.
func (f *Fleet) Asked(ctx context.Context, robot string) error {
	ok, err := f.locks.Lock(ctx, robot, time.Minute) // verdict: unverified // linked
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer f.unlock(ctx, robot)
	return f.drive(ctx, robot)
}

func (f *Fleet) unlock(ctx context.Context, robot string) {
	if err := f.locks.Unlock(context.WithoutCancel(ctx), robot); err != nil {
		log.Print(err)
	}
}

// Patrol keeps the lock, and never hears that it is lost.
func (f *Fleet) Patrol(ctx context.Context, robot string) error {
	ok, err := f.locks.Lock(ctx, robot, time.Minute) // verdict: unverified // linked
	if err != nil || !ok {
		return err
	}
	round, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		f.unlock(ctx, robot)
	}()
	go func() {
		for range time.Tick(15 * time.Second) {
			if round.Err() != nil {
				return
			}
			_ = f.locks.Refresh(round, robot, time.Minute) // want: renewal // linked
		}
	}()
	return f.drive(round, robot)
}

// Watch stops the round when the lock is lost.
func (f *Fleet) Watch(ctx context.Context, robot string) error {
	ok, err := f.locks.Lock(ctx, robot, time.Minute) // verdict: unverified // linked
	if err != nil || !ok {
		return err
	}
	round, cancel := context.WithCancelCause(ctx)
	defer func() {
		cancel(nil)
		f.unlock(ctx, robot)
	}()
	go func() {
		for range time.Tick(15 * time.Second) {
			if round.Err() != nil {
				return
			}
			if err := f.locks.Refresh(round, robot, time.Minute); err != nil {
				cancel(err)
				return
			}
		}
	}()
	return f.drive(round, robot)
}

// Through leaves the door locked when the robot fails.
func (f *Fleet) Through(ctx context.Context, door, robot string) error {
	unlock, err := f.gate.TryLock(ctx, door) // want: release // verdict: unverified // linked
	if err != nil {
		return err
	}
	if err := f.drive(ctx, robot); err != nil {
		return err
	}
	return unlock(context.WithoutCancel(ctx))
}
