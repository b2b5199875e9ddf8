package good

import (
	"context"
	"errors"
	"log"
	"sync"
	"time"

	"github.com/bsm/redislock"
)

// Timetable is one line's.
type Timetable struct{ Departures []time.Time }

// Displays are set, caches of them warmed, and passengers told.
type Displays interface {
	SetTimetable(ctx context.Context, t Timetable) error
	StoreCache(ctx context.Context, t Timetable) error
	NotifyAll(ctx context.Context, t Timetable) error
}

// Depot plans for all of its lines.
type Depot struct {
	locks    *redislock.Client
	plan     func(ctx context.Context, line string) (Timetable, error)
	publish  func(ctx context.Context, line string) (Timetable, error)
	displays []Displays
}

// Plan waits until all displays are set.
func (d *Depot) Plan(ctx context.Context, line string) (err error) {
	lk, err := d.locks.Obtain(ctx, "line:"+line, time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lk.Release(context.WithoutCancel(ctx))) }()
	t, err := d.plan(ctx, line)
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	for _, display := range d.displays {
		all.Go(func() {
			if err := display.SetTimetable(ctx, t); err != nil {
				log.Print(err)
			}
		})
	}
	all.Wait()
	return nil
}

// Publish has done its work when it tells of it, and puts it into caches.
func (d *Depot) Publish(ctx context.Context, line string) (err error) {
	lk, err := d.locks.Obtain(ctx, "line:"+line, time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lk.Release(context.WithoutCancel(ctx))) }()
	t, err := d.publish(ctx, line)
	if err != nil {
		return err
	}
	for _, display := range d.displays {
		go told(context.WithoutCancel(ctx), display, t)
		go display.StoreCache(context.WithoutCancel(ctx), t)
		go display.SetTimetable(context.WithoutCancel(ctx), t)
	}
	return nil
}

// Read only tells what it has read.
func (d *Depot) Read(ctx context.Context, line string) (err error) {
	lk, err := d.locks.Obtain(ctx, "line:"+line, time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lk.Release(context.WithoutCancel(ctx))) }()
	t, err := d.plan(ctx, line)
	if err != nil {
		return err
	}
	for _, display := range d.displays {
		go told(context.WithoutCancel(ctx), display, t)
	}
	return nil
}

func told(ctx context.Context, display Displays, t Timetable) {
	if err := display.NotifyAll(ctx, t); err != nil {
		log.Print(err)
	}
}
