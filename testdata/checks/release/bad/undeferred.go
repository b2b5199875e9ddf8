package bad

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Releases that are deferred too late: between the acquire and the defer something fails.

// Recipe is what a bakery works by.
type Recipe struct{ Steps []string }

// Oven bakes one batch at a time.
type Oven struct {
	locks *redislock.Client
	read  func(ctx context.Context, bread string) (Recipe, error)
	bake  func(ctx context.Context, r Recipe) error
}

// Batch reads the recipe first.
func (o *Oven) Batch(ctx context.Context, bread string) (err error) {
	lk, err := o.locks.Obtain(ctx, "oven/"+bread, time.Minute, nil) // want: release // verdict: unverified
	if errors.Is(err, redislock.ErrNotObtained) {
		return errBusy
	}
	if err != nil {
		return fmt.Errorf("oven: %w", err)
	}
	r, err := o.read(ctx, bread)
	if err != nil {
		return fmt.Errorf("recipe of %s: %w", bread, err)
	}
	defer func() { err = errors.Join(err, lk.Release(context.WithoutCancel(ctx))) }()
	return o.bake(ctx, r)
}

// Sample has nothing to do sometimes, and keeps its mutex to itself.
func Sample(ctx context.Context, rs *redsync.Redsync, due func() []string, taste func(context.Context, string) error) (err error) {
	m := rs.NewMutex("sample")
	if err := m.LockContext(ctx); err != nil { // want: release
		return err
	}
	breads := due()
	if len(breads) == 0 {
		return nil
	}
	defer func() {
		ok, e := m.UnlockContext(context.WithoutCancel(ctx))
		if !ok {
			err = errors.Join(err, e, errors.New("lost"))
		}
	}()
	for _, b := range breads {
		if err := taste(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// Gristmill takes the lock of a session, which goes back to the pool with it.
type Gristmill struct{ pool *pgxpool.Pool }

// Grind opens the books under the lock, and gives up when they are shut.
func (m *Gristmill) Grind(ctx context.Context, open func(context.Context) (int64, error), grind func(context.Context, int64) error) error {
	conn, err := m.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(4711)"); err != nil { // want: release
		return err
	}
	page, err := open(ctx)
	if err != nil {
		return err
	}
	if page < 0 {
		return errLate
	}
	defer conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock(4711)")
	return grind(ctx, page)
}
