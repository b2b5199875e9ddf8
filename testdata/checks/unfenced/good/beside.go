package good

import (
	"context"
	"database/sql"
	"log"
	"time"

	"github.com/bsm/redislock"
)

// A ferry tells that it is under way, whether or not it may use the berth next.
func sighted(db *sql.DB, ferry string) error {
	_, err := db.Exec("UPDATE ferries SET seen = now() WHERE name = $1", ferry)
	return err
}

// Cruise stands in line for the berth beside telling where it is: only what it tells is
// written, and that goes on without the berth.
func Cruise(ctx context.Context, locks *redislock.Client, db *sql.DB, ferry string) {
	position, harbour := time.NewTicker(time.Second), time.NewTicker(5*time.Second)
	var berth *redislock.Lock
	defer func() { _ = berth.Release(context.WithoutCancel(ctx)) }()
	for berth == nil {
		select {
		case <-ctx.Done():
			return
		case <-position.C:
			if err := sighted(db, ferry); err != nil {
				log.Print(err)
			}
		case <-harbour.C:
			l, err := locks.Obtain(ctx, "berth", time.Minute, nil) // verdict: no-visible-write
			if err != nil {
				continue
			}
			berth = l
		}
	}
}

// Announce tells where the ferry is before each attempt, be it the first or a later one.
func Announce(ctx context.Context, locks *redislock.Client, db *sql.DB, ferry string) error {
	for {
		if err := sighted(db, ferry); err != nil {
			return err
		}
		l, err := locks.Obtain(ctx, "berth", time.Minute, nil) // verdict: no-visible-write
		if err != nil {
			return err
		}
		if err := l.Release(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
}
