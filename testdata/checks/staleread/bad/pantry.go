package bad

import (
	"context"
	"time"

	"github.com/bsm/redislock"

	"example.org/locks/checks/staleread/pantry"
)

// Take writes by another package what it has read by it too early.
func Take(ctx context.Context, locks *redislock.Client, shelf *pantry.Shelf, name string, grams int) error {
	jar, err := shelf.Open(ctx, name)
	if err != nil {
		return err
	}
	l, err := locks.Obtain(ctx, "jar:"+name, time.Minute, nil) // want: unfenced // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	jar.Grams -= grams
	return shelf.Put(ctx, jar) // want: staleread
}
