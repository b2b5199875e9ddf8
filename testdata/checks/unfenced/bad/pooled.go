package bad

import (
	"context"
	"database/sql"
	"time"

	"github.com/bsm/redislock"
)

// hands are a pool of goroutines that is made elsewhere.
type hands interface{ Submit(task func()) error }

// A Crew works with them.
type Crew struct{ hands hands }

// Give leaves a task to the crew.
func (c *Crew) Give(task func()) error { return c.hands.Submit(task) }

// Harvest has the crew write down what a field has borne, and waits for that.
func Harvest(ctx context.Context, locks *redislock.Client, crew *Crew, db *sql.DB, field string, weight int) error {
	l, err := locks.Obtain(ctx, "harvest:"+field, time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	written := make(chan error, 1)
	err = crew.Give(func() {
		_, err := db.ExecContext(ctx, "UPDATE field SET weight = $1 WHERE id = $2", weight, field) // want: unfenced
		written <- err
	})
	if err != nil {
		return err
	}
	return <-written
}
