package good

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"github.com/bsm/redislock"
)

// Barriers closes barriers for callers on other hosts, which are told in the reply what
// came of it: an error of the call itself would be one of the network.
type Barriers struct {
	locker *redislock.Client

	mu     sync.Mutex
	closed map[string]*redislock.Lock
}

// A Reply to who wants a barrier closed.
type Reply struct {
	Closed bool
	Why    string
}

// close takes the lock and keeps it under the barrier's name.
func (b *Barriers) close(ctx context.Context, name string) error {
	lock, err := b.locker.Obtain(ctx, "barrier:"+name, time.Minute, nil)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed[name] = lock
	return nil
}

// Open gives it back.
func (b *Barriers) Open(ctx context.Context, name string) error {
	b.mu.Lock()
	lock := b.closed[name]
	delete(b.closed, name)
	b.mu.Unlock()
	return lock.Release(context.WithoutCancel(ctx))
}

// Close says no in a flag, and why.
func (b *Barriers) Close(ctx context.Context, name string) (*Reply, error) {
	if err := b.close(ctx, name); err != nil {
		return &Reply{Closed: false, Why: err.Error()}, nil
	}
	return &Reply{Closed: true}, nil
}

// CloseFor says it as well where it has something to do at the end.
func (b *Barriers) CloseFor(ctx context.Context, name string) (*Reply, error) {
	if err := b.close(ctx, name); err != nil { // verdict: no-visible-write
		return &Reply{Why: err.Error()}, nil
	}
	kept := false
	defer func() {
		if !kept {
			_ = b.Open(ctx, name)
		}
	}()
	if name == "" {
		return &Reply{Why: "which?"}, nil
	}
	kept = true
	return &Reply{Closed: true}, nil
}

// CloseQuietly says it by leaving the flag out.
func (b *Barriers) CloseQuietly(ctx context.Context, name string) (*Reply, error) {
	if err := b.close(ctx, name); err != nil {
		return &Reply{}, nil
	}
	return &Reply{Closed: true}, nil
}

// Sweep removes the cars that have left; with more than one sweeper each road is
// locked, and a road that another one sweeps is left to that.
func Sweep(ctx context.Context, locker *redislock.Client, db *sql.DB, roads []string, several bool) error {
	for _, road := range roads {
		var lock *redislock.Lock
		if several {
			var err error
			if lock, err = locker.Obtain(ctx, "road:"+road, time.Minute, nil); err != nil { // note: redundantlock // verdict: unfenced
				continue
			}
		}
		_, err := db.ExecContext(ctx, "DELETE FROM cars WHERE road = $1 AND gone", road) // note: unfenced
		if several {
			lock.Release(context.WithoutCancel(ctx))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
