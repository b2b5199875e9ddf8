package good

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"time"

	"github.com/bsm/redislock"
	"github.com/robfig/cron/v3"
)

// Bells are rung by one of many, who picks the next one and has others rung at set times.
type Bells struct {
	locks *redislock.Client
	db    *sql.DB
}

// hourly has a bell rung at set times.
func (b *Bells) hourly(ctx context.Context, plan *cron.Cron, bell string) error {
	_, err := plan.AddFunc("@hourly", func() {
		if _, err := b.db.ExecContext(ctx, "INSERT INTO stroke (bell) VALUES ($1)", bell); err != nil {
			log.Print(err)
		}
	})
	return err
}

// Ring moves a bell on from the state that the statement asks for. What the plan adds at set
// times is not seen from here: whether that is refused once the lock is lost cannot be said.
func (b *Bells) Ring(ctx context.Context, plan *cron.Cron, bell string) (err error) {
	l, err := b.locks.Obtain(ctx, "lock:bells", 5*time.Second, nil) // note: redundantlock // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release(context.WithoutCancel(ctx))) }()
	if err := b.hourly(ctx, plan, bell); err != nil {
		return err
	}
	return one(b.db.ExecContext(ctx, "UPDATE bell SET state = 'rung' WHERE id = $1 AND state = 'still'", bell))
}
