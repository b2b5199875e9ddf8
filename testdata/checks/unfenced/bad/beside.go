package bad

import (
	"context"
	"database/sql"
	"time"

	"github.com/bsm/redislock"
)

// Berthed unloads on another way through the loop than the one that takes the berth, but
// only where it has it.
func Berthed(ctx context.Context, locks *redislock.Client, db *sql.DB, crates <-chan string) error {
	harbour := time.NewTicker(5 * time.Second)
	berthed := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case crate := <-crates:
			if !berthed {
				continue
			}
			if _, err := db.Exec("UPDATE crates SET ashore = true WHERE number = $1", crate); err != nil { // want: unfenced
				return err
			}
		case <-harbour.C:
			l, err := locks.Obtain(ctx, "berth", time.Minute, nil) // want: longsection // verdict: unfenced
			if err != nil {
				return err
			}
			defer l.Release(context.WithoutCancel(ctx))
			berthed = true
		}
	}
}

// Landed unloads after a loop of attempts, which the last one ends.
func Landed(ctx context.Context, locks *redislock.Client, db *sql.DB, crate string) error {
	for {
		var berth *redislock.Lock
		for berth == nil {
			l, err := locks.Obtain(ctx, "berth", time.Minute, nil) // verdict: unfenced
			if err == nil {
				berth = l
			}
		}
		if _, err := db.Exec("UPDATE crates SET landed = now() WHERE number = $1", crate); err != nil { // want: unfenced
			return err
		}
		if err := berth.Release(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
}
