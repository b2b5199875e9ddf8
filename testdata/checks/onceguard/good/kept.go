package good

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"cirello.io/dynamolock/v2"
	"github.com/robfig/cron/v3"
)

// Almanac is made at one hour everywhere; its lock is renewed as long as that takes, which
// is longer than clocks are apart.
type Almanac struct {
	locks *dynamolock.Client
	every time.Duration
	press interface {
		Print(ctx context.Context, paper string) error
	}
}

// Plan has it made.
func (a *Almanac) Plan(ctx context.Context, c *cron.Cron) error {
	_, err := c.AddFunc("30 3 * * *", func() {
		if err := a.issue(ctx, "almanac"); err != nil {
			log.Print(err)
		}
	})
	return err
}

func (a *Almanac) issue(ctx context.Context, key string) (err error) {
	held, lost := context.WithCancel(ctx)
	defer lost()
	lock, err := a.locks.AcquireLockWithContext(ctx, key, dynamolock.FailIfLocked(), // verdict: unverified
		dynamolock.WithSessionMonitor(10*time.Second, lost))
	var busy *dynamolock.LockNotGrantedError
	if errors.As(err, &busy) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() {
		ok, e := a.locks.ReleaseLockWithContext(context.WithoutCancel(ctx), lock)
		if e != nil || !ok {
			err = errors.Join(err, fmt.Errorf("%s: released %t: %w", key, ok, e))
		}
	}()
	return a.press.Print(held, key)
}

// Proofs are read as often as the field says, which may be every minute.
func (a *Almanac) Proofs(ctx context.Context, every time.Duration) {
	a.every = every
	for range time.Tick(a.every) {
		if err := a.issue(ctx, "proofs"); err != nil {
			log.Print(err)
		}
	}
}
