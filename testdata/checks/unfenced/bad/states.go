package bad

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
)

// Return moves an order to a state in which it may be already: the statement lets the
// next one through as well.
func Return(ctx context.Context, locks *redislock.Client, db *sql.DB, id string) (err error) {
	lock, err := locks.Obtain(ctx, "lock:return", 5*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	_, err = db.ExecContext(ctx, "UPDATE parcel SET state = 'returned', shelf = $2 WHERE id = $1 AND state IN ('sent', 'returned')", id, id) // want: unfenced
	return err
}
