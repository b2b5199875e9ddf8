// Package good reads what it decides on from the primary, or has the primary
// decide.
package good

import (
	"context"
	"database/sql"

	"github.com/go-redsync/redsync/v4"
)

type Orders struct {
	db, replica *sql.DB
	locks       *redsync.Redsync
}

// Cancel reads what it changes from the primary. The customer's name may be old.
func (o *Orders) Cancel(ctx context.Context, id int64) (name string, err error) {
	mutex := o.locks.NewMutex("order")
	if err := mutex.LockContext(ctx); err != nil { // verdict: unfenced
		return "", err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	var paid bool
	if err := o.db.QueryRowContext(ctx, "SELECT paid FROM orders WHERE id = $1", id).Scan(&paid); err != nil || !paid {
		return "", err
	}
	if err := o.replica.QueryRowContext(ctx, "SELECT name FROM customers WHERE id = $1", id).Scan(&name); err != nil {
		return "", err
	}
	_, err = o.db.ExecContext(ctx, "UPDATE orders SET refunds = refunds + 1 WHERE id = $1", id) // want: unfenced
	return name, err
}

// Settle lets the primary refuse what the replica did not show.
func (o *Orders) Settle(ctx context.Context, id int64) (bool, error) {
	mutex := o.locks.NewMutex("order")
	if err := mutex.LockContext(ctx); err != nil { // verdict: fenced
		return false, err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	var state string
	if err := o.replica.QueryRowContext(ctx, "SELECT state FROM orders WHERE id = $1", id).Scan(&state); err != nil {
		return false, err
	}
	res, err := o.db.ExecContext(ctx, "UPDATE orders SET state = 'settled' WHERE id = $1 AND state = 'open'", id)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// List reads before the lock is taken and after it was given back.
func (o *Orders) List(ctx context.Context, id int64) error {
	if _, err := o.replica.QueryContext(ctx, "SELECT id FROM orders"); err != nil {
		return err
	}
	mutex := o.locks.NewMutex("order")
	if err := mutex.LockContext(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	_, err := o.db.ExecContext(ctx, "UPDATE orders SET seen = seen + 1 WHERE id = $1", id) // want: unfenced
	return err
}
