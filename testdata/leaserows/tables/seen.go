package tables

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

var errAsleep = errors.New("no longer on watch")

// A Watch is kept by whoever was seen last, until that is half a minute ago.
type Watch struct {
	db            *sql.DB
	tower, keeper string
}

func one(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return errAsleep
}

func (w *Watch) acquireLease(ctx context.Context) error {
	return one(w.db.ExecContext(ctx, "UPDATE tower_leases SET keeper = $2, seen_at = now() WHERE tower = $1 AND seen_at < now() - interval '30 seconds'", w.tower, w.keeper))
}

// seen keeps the watch: the present time is what it lives by.
func (w *Watch) seen(ctx context.Context) error {
	return one(w.db.ExecContext(ctx, "UPDATE tower_leases SET seen_at = now() WHERE tower = $1 AND keeper = $2", w.tower, w.keeper))
}

func (w *Watch) leave(ctx context.Context) error {
	return one(w.db.ExecContext(ctx, "UPDATE tower_leases SET seen_at = now() - interval '1 day' WHERE tower = $1 AND keeper = $2", w.tower, w.keeper))
}

// Light counts the turns of the lamp while it is seen every few seconds.
func (w *Watch) Light(ctx context.Context, turns <-chan int) (err error) {
	if err := w.acquireLease(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, w.leave(context.WithoutCancel(ctx))) }()
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if err := w.seen(ctx); err != nil {
				return err
			}
		case n := <-turns:
			if _, err := w.db.ExecContext(ctx, "UPDATE lamps SET turns = $2 WHERE tower = $1", w.tower, n); err != nil { // want: unfenced
				return err
			}
		}
	}
}

// Look is seen once more before it notes the weather, and no longer afterwards.
func (w *Watch) Look(ctx context.Context, weather string) (err error) {
	if err := w.acquireLease(ctx); err != nil { // verdict: unfenced
		return err
	}
	if err := w.seen(ctx); err != nil {
		return errors.Join(err, w.leave(context.WithoutCancel(ctx)))
	}
	_, err = w.db.ExecContext(ctx, "UPDATE lamps SET weather = $2 WHERE tower = $1", w.tower, weather) // want: unfenced
	return errors.Join(err, w.leave(context.WithoutCancel(ctx)))
}
