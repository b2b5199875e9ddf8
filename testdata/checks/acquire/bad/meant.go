package bad

import (
	"context"
	"database/sql"
	"log"
	"time"

	"github.com/bsm/redislock"
)

// Stow takes the hold if it can, and loads the ship in any case: only who has the hold
// gives it back.
func Stow(ctx context.Context, locker *redislock.Client, db *sql.DB, ship string) error {
	if hold, err := locker.Obtain(ctx, "hold:"+ship, time.Minute, nil); err == nil { // want: acquire // verdict: unfenced
		defer func() {
			if err := hold.Release(context.WithoutCancel(ctx)); err != nil {
				log.Printf("hold: %v", err)
			}
		}()
	}
	_, err := db.ExecContext(ctx, "UPDATE ships SET load = load + 1 WHERE name = $1", ship)
	return err
}
