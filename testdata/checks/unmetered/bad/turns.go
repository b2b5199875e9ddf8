package bad

import (
	"context"
	"database/sql"
	"log"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
)

// Mill grinds in one of a few gears at a time.
type Mill struct {
	locks *redislock.Client
	sacks chan string
	rs    *redsync.Redsync
	wheel *redsync.Mutex
	turns bool
	db    *sql.DB
}

// gear takes the lock, or renews it where it was taken in an earlier turn.
func (m *Mill) gear(ctx context.Context, held *redislock.Lock) *redislock.Lock {
	for ctx.Err() == nil {
		var err error
		if held == nil {
			held, err = m.locks.Obtain(ctx, "mill:gear", time.Minute, nil)
		} else {
			err = held.Refresh(ctx, time.Minute, nil)
		}
		if err == nil {
			return held
		}
		held = nil
		time.Sleep(time.Second)
	}
	return nil
}

// Grind renews by the call that takes the lock.
func (m *Mill) Grind(ctx context.Context) {
	var held *redislock.Lock
	defer func() {
		if held != nil {
			if err := held.Release(context.WithoutCancel(ctx)); err != nil {
				log.Print(err)
			}
		}
	}()
	for sack := range m.sacks {
		held = m.gear(ctx, held) // note: unmetered // verdict: no-visible-write
		log.Print(sack)
	}
}

// Beat is called again and again, and renews in later calls what it has taken in one.
func (m *Mill) Beat(ctx context.Context) {
	if m.turns {
		if ok, err := m.wheel.ExtendContext(ctx); err != nil || !ok {
			m.turns = false
		}
		return
	}
	wheel := m.rs.NewMutex("mill:wheel", redsync.WithExpiry(10*time.Second))
	if err := wheel.LockContext(ctx); err != nil { // note: unmetered // verdict: unfenced
		log.Print(err)
		return
	}
	m.wheel, m.turns = wheel, true
	if _, err := m.db.ExecContext(ctx, "UPDATE mill SET turning = true"); err != nil { // want: unfenced
		log.Print(err)
	}
}
