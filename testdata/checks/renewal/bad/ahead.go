package bad

import (
	"context"
	"time"

	"github.com/bsm/redislock"
)

// Renewals that come shortly before the end, counted from there.

// rhythm is set where a program starts.
type rhythm struct{ life, ahead time.Duration }

// choir is the rhythm of all that do not bring their own.
var choir = rhythm{life: 24 * time.Second, ahead: 4 * time.Second}

// Chorale keeps its lock in the rhythm of the choir.
func Chorale(ctx context.Context, locker *redislock.Client, song string, verse func(context.Context) error) error {
	l, err := locker.Obtain(ctx, "song:"+song, choir.life, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() { lost(breathe(held, l, choir.life)) }()
	return verse(held)
}

func breathe(ctx context.Context, l *redislock.Lock, life time.Duration) error {
	beat := time.NewTicker(choir.life - choir.ahead) // want: renewal
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-beat.C:
			if err := l.Refresh(ctx, life, nil); err != nil {
				return err
			}
		}
	}
}

// Organ has a rhythm of its own, as a part of it.
type Organ struct {
	rhythm
	locker *redislock.Client
}

// NewOrgan says what the rhythm is.
func NewOrgan(locker *redislock.Client) *Organ {
	o := &Organ{locker: locker}
	o.life = time.Minute
	o.ahead = 10 * time.Second
	return o
}

// Play tells the one who keeps the lock how long to wait.
func (o *Organ) Play(ctx context.Context, piece func(context.Context) error) error {
	l, err := o.locker.Obtain(ctx, "organ", o.life, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() { lost(pedal(held, l, o.life, o.life-o.ahead)) }()
	return piece(held)
}

func pedal(ctx context.Context, l *redislock.Lock, life, pause time.Duration) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause): // want: renewal
		}
		if err := l.Refresh(ctx, life, nil); err != nil {
			return err
		}
	}
}

// Hum takes a tenth off, of a life that its caller names.
func Hum(ctx context.Context, locker *redislock.Client, life time.Duration, tune func(context.Context) error) error {
	l, err := locker.Obtain(ctx, "hum", life, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() {
		for held.Err() == nil {
			time.Sleep(life - life/10) // want: renewal
			if err := l.Refresh(held, life, nil); err != nil {
				lost(err)
			}
		}
	}()
	return tune(held)
}
