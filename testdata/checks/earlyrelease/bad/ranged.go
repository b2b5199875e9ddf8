package bad

import (
	"context"
	"database/sql"
	"log"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
)

// Press prints elsewhere.
type Press interface {
	Print(ctx context.Context, page int) error
}

// Printed starts a goroutine for each batch of an iterator, counts them, and leaves.
func Printed(ctx context.Context, locker *redislock.Client, p Press, pages []int) error {
	lease, err := locker.Obtain(ctx, "press", time.Hour, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer lease.Release(context.WithoutCancel(ctx))
	var left sync.WaitGroup
	for batch := range slices.Chunk(pages, 10) {
		left.Add(1)
		go func() { // want: earlyrelease
			defer left.Done()
			for _, page := range batch {
				if err := p.Print(context.WithoutCancel(ctx), page); err != nil {
					log.Print(err)
				}
			}
		}()
	}
	return nil
}

// Shelved writes rows in goroutines of an inner function.
func Shelved(ctx context.Context, rs *redsync.Redsync, db *sql.DB, rooms map[string]int) error {
	m := rs.NewMutex("shelves")
	if err := m.LockContext(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer m.UnlockContext(context.WithoutCancel(ctx))
	func() {
		for room := range maps.Keys(rooms) {
			go db.Exec("UPDATE rooms SET books = books + 1 WHERE id = $1", room) // want: earlyrelease, unfenced
		}
	}()
	return nil
}

// Binder hands each book to a method that does not wait for it.
type Binder struct {
	locker *redislock.Client
	press  Press
}

func (b *Binder) Bind(ctx context.Context, pages []int) error {
	lease, err := b.locker.Obtain(ctx, "binder", time.Hour, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer lease.Release(context.WithoutCancel(ctx))
	for _, page := range pages {
		b.sew(ctx, page)
	}
	return nil
}

func (b *Binder) sew(ctx context.Context, page int) {
	ctx = context.WithoutCancel(ctx)
	go func() { // want: earlyrelease
		if err := b.press.Print(ctx, page); err != nil {
			log.Print(err)
		}
	}()
}
