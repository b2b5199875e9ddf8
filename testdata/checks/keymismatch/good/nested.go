package good

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// A Fleet has a lock of its own, and one for each of its ships.
type Fleet struct {
	rdb   *redis.Client
	ships map[string]bool
	leads bool
}

func (f *Fleet) lockShip(ctx context.Context, ship string) error {
	ok, err := f.rdb.SetNX(ctx, strings.Join([]string{"ship-lock", ship}, ":"), "1", time.Second).Result()
	if err == nil && !ok {
		err = errBusy
	}
	return err
}

func (f *Fleet) unlockShip(ctx context.Context, ship string) error {
	return f.rdb.Del(ctx, strings.Join([]string{"ship-lock", ship}, ":")).Err() // want: release
}

func (f *Fleet) scrap(ctx context.Context, ship string, job Job) error {
	if err := f.lockShip(ctx, ship); err != nil { // verdict: unverified
		return err
	}
	defer f.unlockShip(ctx, ship)
	return job.Run(ctx)
}

// Sail leads the fleet in one of its turns, and scraps ships in another.
func (f *Fleet) Sail(ctx context.Context, lead, look <-chan time.Time, job Job) (err error) {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-lead:
			if !f.leads {
				ok, e := f.rdb.SetNX(ctx, "fleet-lock", "1", time.Minute).Result() // verdict: unverified
				f.leads, err = ok, errors.Join(err, e)
			}
		case <-look:
			for ship := range f.ships {
				err = errors.Join(err, f.scrap(ctx, ship, job))
			}
		}
	}
}
