package good

import (
	"context"
	"database/sql"
	"time"

	"github.com/bsm/redislock"
)

// Pump holds its lock until it is closed.
type Pump struct {
	locker *redislock.Client
	db     *sql.DB
	lock   *redislock.Lock
}

// Start leaves the lock to what it starts, unless there is nothing to start.
func (p *Pump) Start(ctx context.Context, name string) (err error) {
	if p.lock, err = p.locker.Obtain(ctx, "pump:"+name, time.Minute, nil); err != nil { // verdict: unfenced
		return err
	}
	if _, err := p.db.ExecContext(ctx, "INSERT INTO pumps (name) VALUES ($1)", name); err != nil { // want: unfenced
		p.lock.Release(context.WithoutCancel(ctx))
		return err
	}
	go p.beat(name)
	return nil
}

func (p *Pump) beat(name string) {
	for range time.Tick(time.Second) {
		p.db.Exec("INSERT INTO beats (name) VALUES ($1)", name)
	}
}
