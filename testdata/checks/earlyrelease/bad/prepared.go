package bad

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/bsm/redislock"
)

// Sections that work out what is to be done, and leave it to goroutines to do it.

// Timetable is one line's.
type Timetable struct{ Departures []time.Time }

// Display shows a timetable at a stop.
type Display interface {
	SetTimetable(ctx context.Context, t Timetable) error
}

// Depot plans for all of its lines.
type Depot struct {
	locks    *redislock.Client
	plan     func(ctx context.Context, line string) (Timetable, error)
	displays []Display
}

// Plan has the displays set when it is done, next to whoever plans then.
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
	for _, display := range d.displays {
		go d.show(context.WithoutCancel(ctx), display, t) // want: earlyrelease
	}
	return nil
}

func (d *Depot) show(ctx context.Context, display Display, t Timetable) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if err := display.SetTimetable(ctx, t); err != nil {
		log.Print(err)
	}
}
