package good

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Weirs knows by itself whether it has shut the weir.
type Weirs struct {
	rdb  *redis.Client
	shut bool
}

var (
	errOpen     = errors.New("weirs: not shut")
	errShut     = errors.New("weirs: shut by somebody else")
	weirTimeout = 10 * time.Minute
)

func (w *Weirs) lockWeir(ctx context.Context) (bool, error) {
	ok, err := w.rdb.SetNX(ctx, "weir", "shut", weirTimeout).Result()
	w.shut = ok && err == nil
	return ok, err
}

func (w *Weirs) unlockWeir(ctx context.Context) error {
	if !w.shut {
		return errOpen
	}
	w.shut = false
	return w.rdb.Del(ctx, "weir").Err() // want: release
}

// Tend releases what it may not have: unlockWeir knows better.
func (w *Weirs) Tend(ctx context.Context, job Job) error {
	ok, err := w.lockWeir(ctx) // note: release // verdict: unverified
	if err != nil {
		return err
	}
	defer w.unlockWeir(context.WithoutCancel(ctx))
	if !ok {
		return nil
	}
	return job.Run(ctx)
}

// Sluices tells who comes late by an error of its own.
type Sluices struct{ rdb *redis.Client }

func (s *Sluices) lockSluice(ctx context.Context, name string) error {
	ok, err := s.rdb.SetNX(ctx, "sluice:"+name, "shut", time.Minute).Result()
	if err != nil || !ok {
		return errShut
	}
	return nil
}

func (s *Sluices) unlockSluice(ctx context.Context, name string) error {
	return s.rdb.Del(ctx, "sluice:"+name).Err() // want: release
}

// Clear goes on where the error is none, for there is no other.
func (s *Sluices) Clear(ctx context.Context, name string, job Job) error {
	if err := s.lockSluice(ctx, name); err == errShut { // note: release // verdict: unverified
		return nil
	}
	defer s.unlockSluice(context.WithoutCancel(ctx), name)
	return job.Run(ctx)
}
