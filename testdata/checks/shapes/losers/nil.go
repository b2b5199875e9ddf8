package losers

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/bsm/redislock"
)

// perhaps gives no lock and no error where the basket is taken.
func (l *Laundry) perhaps(ctx context.Context, basket string) (*redislock.Lock, error) {
	lock, err := l.locker.Obtain(ctx, "basket/"+basket, time.Minute, nil)
	if err != nil {
		if !errors.Is(err, redislock.ErrNotObtained) {
			return nil, err
		}
		return nil, nil
	}
	return lock, nil
}

// Shake leaves out what another does, and has nobody to tell.
func (l *Laundry) Shake(ctx context.Context, basket string) {
	lock, err := l.perhaps(ctx, basket) // verdict: unfenced
	if lock == nil {
		if err != nil {
			log.Print(err)
		}
		return
	}
	defer lock.Release(context.WithoutCancel(ctx))
	if _, err := l.db.ExecContext(ctx, "UPDATE basket SET shaken = true WHERE id = $1", basket); err != nil { // note: unfenced
		log.Print(err)
	}
}

// patient waits for the basket, and gives up at some time.
func (l *Laundry) patient(ctx context.Context, basket string) *redislock.Lock {
	for range 20 {
		if lock, err := l.locker.Obtain(ctx, "basket/"+basket, time.Minute, nil); err == nil {
			return lock
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil
}

// Starch waited in vain: nobody else has starched it.
func (l *Laundry) Starch(ctx context.Context, basket string) {
	lock := l.patient(ctx, basket) // verdict: unfenced
	if lock == nil {
		log.Printf("basket %s was not starched", basket)
		return
	}
	defer lock.Release(context.WithoutCancel(ctx))
	if _, err := l.db.ExecContext(ctx, "UPDATE basket SET starched = true WHERE id = $1", basket); err != nil { // want: unfenced
		log.Print(err)
	}
}
