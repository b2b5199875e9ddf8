package good

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"github.com/bsm/redislock"
)

// Gates open after a while; while somebody else is at one, they wait for that without the
// lock.
type Gates struct {
	locker *redislock.Client
	db     *sql.DB
}

// Open gives the lock back once, be it early or at the end.
func (g *Gates) Open(ctx context.Context, gate string) error {
	lock, err := g.locker.Obtain(ctx, "gate:"+gate, time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	release := sync.OnceValue(func() error { return lock.Release(context.WithoutCancel(ctx)) })
	defer func() { _ = release() }()

	var busy bool
	if err := g.db.QueryRowContext(ctx, "SELECT busy FROM gates WHERE name = $1", gate).Scan(&busy); err != nil {
		return err
	}
	if busy {
		if err := release(); err != nil {
			return err
		}
		return g.wait(ctx, gate)
	}
	_, err = g.db.ExecContext(ctx, "UPDATE gates SET opened = opened + 1 WHERE name = $1", gate) // want: unfenced
	return err
}

// Close is told what it calls at the end.
func (g *Gates) Close(ctx context.Context, gate string) error {
	lock, err := g.locker.Obtain(ctx, "gate:"+gate, time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	unlock := sync.OnceFunc(func() { _ = lock.Release(context.WithoutCancel(ctx)) })
	defer unlock()
	if _, err := g.db.ExecContext(ctx, "UPDATE gates SET closed = closed + 1 WHERE name = $1", gate); err != nil { // want: unfenced
		return err
	}
	unlock()
	return g.wait(ctx, gate)
}

func (g *Gates) wait(ctx context.Context, gate string) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		var busy bool
		if err := g.db.QueryRowContext(ctx, "SELECT busy FROM gates WHERE name = $1", gate).Scan(&busy); err != nil || !busy {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
