package bad

import (
	"context"
	"database/sql"

	"github.com/go-redsync/redsync/v4"
)

// Lull changes one toy, which another may have changed before: nobody looks.
func Lull(ctx context.Context, locks *redsync.Redsync, db *sql.DB, toy int64) error {
	mutex := locks.NewMutex("lull")
	if err := mutex.LockContext(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	_, err := db.ExecContext(ctx, // want: weakcondition
		"UPDATE toys JOIN shelves ON toys.shelf = shelves.id SET toys.awake = FALSE WHERE toys.id = ? AND shelves.open = TRUE AND toys.awake = TRUE", toy)
	return err
}
