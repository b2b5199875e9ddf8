// Package started takes locks in goroutines: whoever starts one goes on without the lock,
// unless it waits until the goroutine has it.
package started

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"github.com/bsm/redislock"
	"github.com/hashicorp/consul/api"
)

// A Lamp is lit by one keeper at a time, who is found in the background.
type Lamp struct {
	consul *api.Client
	db     *sql.DB
	lit    bool
	ready  chan struct{}
	stop   chan struct{}
}

func (l *Lamp) tend() {
	lock, err := l.consul.LockKey("lamp")
	if err != nil {
		return
	}
	if gone, err := lock.Lock(l.stop); err != nil || gone == nil {
		return
	}
	l.lit = true
	<-l.stop
}

func (l *Lamp) shift() {
	go l.tend() // verdict: no-visible-write
	<-l.stop
}

func (l *Lamp) start() error {
	go l.shift()
	return nil
}

// Open goes on at once: the lamp's lock is not there for what is written here.
func (l *Lamp) Open(ctx context.Context, keeper string) error {
	if err := l.start(); err != nil {
		return err
	}
	_, err := l.db.ExecContext(ctx, "UPDATE tower SET keeper = $1", keeper)
	return err
}

func (l *Lamp) tendReady() {
	lock, err := l.consul.LockKey("lamp/ready")
	if err != nil {
		return
	}
	if gone, err := lock.Lock(l.stop); err != nil || gone == nil {
		return
	}
	close(l.ready)
	<-l.stop
}

// OpenReady waits until the goroutine tells that it has the lock.
func (l *Lamp) OpenReady(ctx context.Context, keeper string) error {
	go l.tendReady() // verdict: unfenced
	select {
	case <-l.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	_, err := l.db.ExecContext(ctx, "UPDATE tower SET keeper = $1", keeper) // want: unfenced
	return err
}

func hold(ctx context.Context, locker *redislock.Client, key string, answer chan<- error) {
	_, err := locker.Obtain(ctx, key, time.Minute, nil)
	answer <- err
}

// Ring waits for the answer that the goroutine was asked for.
func Ring(ctx context.Context, locker *redislock.Client, db *sql.DB, bell string) error {
	answer := make(chan error, 1)
	go hold(ctx, locker, "bell:"+bell, answer) // verdict: unfenced
	if err := <-answer; err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, "UPDATE bell SET rung = rung + 1 WHERE name = $1", bell) // want: unfenced
	return err
}

// RingBoth waits for the end of two goroutines that take a lock each.
func RingBoth(ctx context.Context, locker *redislock.Client, db *sql.DB, bell string) error {
	var wg sync.WaitGroup
	errs := make([]error, 1)
	wg.Add(1)
	go func() {
		defer wg.Done()
		_, errs[0] = locker.Obtain(ctx, "belfry:"+bell, time.Minute, nil) // verdict: unfenced
	}()
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, "UPDATE belfry SET rung = rung + 1 WHERE name = $1", bell) // want: unfenced
	return err
}

// RingLater does not wait for anything.
func RingLater(ctx context.Context, locker *redislock.Client, db *sql.DB, bell string) error {
	go func() {
		if _, err := locker.Obtain(ctx, "tower:"+bell, time.Minute, nil); err != nil { // verdict: no-visible-write
			return
		}
		<-ctx.Done()
	}()
	_, err := db.ExecContext(ctx, "UPDATE chimes SET rung = rung + 1 WHERE name = $1", bell)
	return err
}
