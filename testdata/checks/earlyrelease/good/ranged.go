package good

import (
	"context"
	"log"
	"slices"
	"sync"
	"time"

	"github.com/bsm/redislock"
)

// Press prints elsewhere.
type Press interface {
	Print(ctx context.Context, page int) error
}

// Printed waits for all of its batches.
func Printed(ctx context.Context, locker *redislock.Client, p Press, pages []int) error {
	lease, err := locker.Obtain(ctx, "press", time.Hour, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer lease.Release(context.WithoutCancel(ctx))
	var left sync.WaitGroup
	for batch := range slices.Chunk(pages, 10) {
		left.Add(1)
		go func() {
			defer left.Done()
			for _, page := range batch {
				if err := p.Print(ctx, page); err != nil {
					log.Print(err)
				}
			}
		}()
	}
	left.Wait()
	return nil
}

// Binder counts what runs, and whoever closes it waits.
type Binder struct {
	locker *redislock.Client
	press  Press
	run    sync.WaitGroup
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
	b.run.Add(1)
	go func() {
		defer b.run.Done()
		if err := b.press.Print(ctx, page); err != nil {
			log.Print(err)
		}
	}()
}

// Close comes after all of them.
func (b *Binder) Close() { b.run.Wait() }

// Told prints by itself, and lets somebody know beside it.
func (b *Binder) Told(ctx context.Context, page int) error {
	lease, err := b.locker.Obtain(ctx, "told", time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer lease.Release(context.WithoutCancel(ctx))
	b.announce(ctx, page)
	return b.press.Print(ctx, page)
}

func (b *Binder) announce(ctx context.Context, page int) {
	go func() {
		if err := b.press.Print(context.WithoutCancel(ctx), -page); err != nil {
			log.Print(err)
		}
	}()
}
