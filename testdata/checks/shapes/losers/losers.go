// Package losers has what becomes of those who do not get a lock, which tells what it is for.
package losers

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"net/http"
	"time"

	"github.com/bsm/redislock"
)

var (
	errTaken = errors.New("taken")
	errMine  = errors.New("taken by this very work")
)

// Laundry keeps its baskets in a database.
type Laundry struct {
	locker *redislock.Client
	db     *sql.DB
}

func (l *Laundry) take(ctx context.Context, basket string) (*redislock.Lock, error) {
	lock, err := l.locker.Obtain(ctx, "basket:"+basket, time.Minute, nil)
	if errors.Is(err, redislock.ErrNotObtained) {
		return nil, errTaken
	}
	return lock, err
}

// Wash goes on to the next basket.
func (l *Laundry) Wash(ctx context.Context, baskets <-chan string) {
	for basket := range baskets {
		lock, err := l.take(ctx, basket) // verdict: unfenced
		if err == errTaken {
			continue
		} else if err != nil {
			panic(fmt.Errorf("basket %s: %w", basket, err))
		}
		l.wash(ctx, basket, lock)
	}
}

func (l *Laundry) wash(ctx context.Context, basket string, lock *redislock.Lock) {
	defer lock.Release(context.WithoutCancel(ctx))
	if _, err := l.db.ExecContext(ctx, "UPDATE basket SET clean = true WHERE id = $1", basket); err != nil { // note: unfenced
		log.Printf("basket %s: %v", basket, err)
	}
}

// Rinse comes back to the same basket until it has it.
func (l *Laundry) Rinse(ctx context.Context, baskets <-chan string) error {
	for basket := range baskets {
		var lock *redislock.Lock
		for {
			got, err := l.take(ctx, basket) // verdict: unfenced
			if err == nil {
				lock = got
				break
			}
			if err != errTaken {
				return err
			}
		}
		_, err := l.db.ExecContext(ctx, "UPDATE basket SET rinsed = true WHERE id = $1", basket) // want: unfenced
		if err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))); err != nil {
			return err
		}
	}
	return nil
}

// Fold waits in the loop in which the winner works as well.
func (l *Laundry) Fold(ctx context.Context, basket string, sheets int) error {
	for sheets > 0 {
		lock, err := l.take(ctx, basket) // verdict: unfenced
		if err == errTaken {
			time.Sleep(time.Second)
			continue
		}
		if err != nil {
			return err
		}
		sheets--
		_, err = l.db.ExecContext(ctx, "UPDATE basket SET folded = folded + 1 WHERE id = $1", basket) // want: unfenced
		if err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))); err != nil {
			return err
		}
	}
	return nil
}

// Iron may be part of work that has the lock already, which gives it back.
func (l *Laundry) Iron(ctx context.Context, basket string) error {
	lock, err := l.own(ctx, basket) // verdict: unfenced
	switch err {
	case nil:
		defer lock.Release(context.WithoutCancel(ctx))
	case errMine:
	default:
		return err
	}
	_, err = l.db.ExecContext(ctx, "UPDATE basket SET ironed = true WHERE id = $1", basket) // want: unfenced
	return err
}

func (l *Laundry) own(ctx context.Context, basket string) (*redislock.Lock, error) {
	if ctx.Value(errMine) != nil {
		return nil, errMine
	}
	return l.take(ctx, basket)
}

// Deliver answers who asks.
func (l *Laundry) Deliver(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	lock, err := l.locker.Obtain(ctx, r.URL.Path, time.Minute, nil) // verdict: unfenced
	if err != nil {
		refuse(w)
		return
	}
	defer lock.Release(context.WithoutCancel(ctx))
	if _, err := l.db.ExecContext(ctx, "UPDATE basket SET home = true WHERE id = $1", r.URL.Path); err != nil { // want: unfenced
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func refuse(w http.ResponseWriter) { http.Error(w, "try again", http.StatusConflict) }

// Tidy is called by a clock, which wants to know of nothing.
func (l *Laundry) Tidy(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	lock, err := l.locker.Obtain(ctx, r.URL.Path, time.Minute, nil) // verdict: unfenced
	if err != nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	defer lock.Release(context.WithoutCancel(ctx))
	if _, err := l.db.ExecContext(ctx, "UPDATE basket SET tidy = true WHERE id = $1", r.URL.Path); err != nil { // note: unfenced
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// held is over at once where the basket is taken.
func (l *Laundry) held(ctx context.Context, basket string) (context.Context, context.CancelFunc) {
	inner, done := context.WithCancel(ctx)
	lock, err := l.take(ctx, basket)
	if err != nil {
		done()
		return inner, done
	}
	return inner, func() {
		lock.Release(context.WithoutCancel(ctx))
		done()
	}
}

// Sort is told by the context.
func (l *Laundry) Sort(ctx context.Context, basket string) error {
	ctx, done := l.held(ctx, basket) // verdict: unfenced
	defer done()
	if ctx.Err() != nil {
		return nil
	}
	_, err := l.db.ExecContext(ctx, "UPDATE basket SET sorted = true WHERE id = $1", basket) // note: unfenced
	return err
}
