// Package bad decides under the lock on what a copy of the database says.
package bad

import (
	"context"
	"database/sql"
	"errors"

	"github.com/go-redsync/redsync/v4"
	"go.etcd.io/etcd/client/v3/concurrency"
)

type Orders struct {
	db, readonlyDB *sql.DB
	locks          *redsync.Redsync
}

// Cancel gives the money back of an order that its replica still calls paid.
func (o *Orders) Cancel(ctx context.Context, id int64) error {
	mutex := o.locks.NewMutex("order")
	if err := mutex.LockContext(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	var paid bool
	if err := o.readonlyDB.QueryRowContext(ctx, "SELECT paid FROM orders WHERE id = $1", id).Scan(&paid); err != nil { // want: replica
		return err
	}
	if !paid {
		return nil
	}
	_, err := o.db.ExecContext(ctx, "UPDATE orders SET refunds = refunds + 1 WHERE id = $1", id) // want: unfenced
	return err
}

var standby *sql.DB

// Ship reads one call further down.
func Ship(ctx context.Context, db *sql.DB, locks *redsync.Redsync, id int64) error {
	mutex := locks.NewMutex("order")
	if err := mutex.LockContext(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	n, err := parcels(ctx, id)
	if err != nil || n > 0 {
		return err
	}
	_, err = db.ExecContext(ctx, "INSERT INTO parcels (order_id) VALUES ($1)", id) // want: unfenced
	return err
}

func parcels(ctx context.Context, id int64) (n int, err error) {
	err = standby.QueryRowContext(ctx, "SELECT count(*) FROM parcels WHERE order_id = $1", id).Scan(&n) // want: replica
	return n, err
}

// Bill knows that no later holder was there, but not what the last one wrote.
func (o *Orders) Bill(ctx context.Context, session *concurrency.Session, id int64) error {
	mutex := concurrency.NewMutex(session, "/bill")
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	var sum int64
	if err := o.readonlyDB.QueryRowContext(ctx, "SELECT sum FROM bills WHERE id = $1", id).Scan(&sum); err != nil { // want: replica
		return err
	}
	res, err := o.db.ExecContext(ctx, "UPDATE bills SET sum = $1, token = $2 WHERE id = $3 AND token < $2", sum+1, mutex.Header().Revision, id)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errors.New("a later holder was here"))
	}
	return nil
}
