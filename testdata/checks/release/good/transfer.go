package good

import (
	"context"
	"errors"
	"io"
	"log"
	"sync"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// Reader holds its lock until it is closed.
type Reader struct {
	io.Reader
	lease *redislock.Lock
}

// Open hands the lock to the reader, and gives it back where there is none.
func Open(ctx context.Context, locker *redislock.Client, open func(context.Context) (io.Reader, error)) (*Reader, error) {
	lease, err := locker.Obtain(ctx, "reader", time.Hour, nil)
	if err != nil {
		return nil, err
	}
	r, err := open(ctx)
	if err != nil {
		return nil, errors.Join(err, lease.Release(context.WithoutCancel(ctx)))
	}
	return &Reader{r, lease}, nil
}

// Close ends the section.
func (r *Reader) Close() error { return r.lease.Release(context.Background()) }

// Background hands the lock to the goroutine that works.
func Background(ctx context.Context, locker *redislock.Client, job Job) error {
	lease, err := locker.Obtain(ctx, "background", time.Hour, nil) // verdict: unverified
	if err != nil {
		return err
	}
	due, err := job.Due(ctx)
	if err != nil {
		return errors.Join(err, lease.Release(context.WithoutCancel(ctx)))
	}
	if !due {
		return lease.Release(context.WithoutCancel(ctx))
	}
	go func() {
		ctx := context.WithoutCancel(ctx)
		if err := errors.Join(job.Run(ctx), lease.Release(ctx)); err != nil {
			log.Print(err)
		}
	}()
	return nil
}

// Seat keeps its lease while it is taken.
type Seat struct {
	locker *redislock.Client
	lease  *redislock.Lock
}

// Sit keeps the lease in the object, whose other method gives it back.
func (s *Seat) Sit(ctx context.Context, job Job) error {
	lease, err := s.locker.Obtain(ctx, "seat", time.Hour, nil) // verdict: unverified
	if err != nil {
		return err
	}
	s.lease = lease
	if err := job.Run(ctx); err != nil {
		return err
	}
	if due, err := job.Due(ctx); err == nil && !due {
		s.lease = nil
		return lease.Release(context.WithoutCancel(ctx))
	}
	return nil
}

// Stand ends the section of Sit.
func (s *Seat) Stand() error {
	if s.lease == nil {
		return nil
	}
	return s.lease.Release(context.Background())
}

// Either defers the release only where the lock was needed.
func Either(ctx context.Context, locker *redislock.Client, alone bool, job Job) error {
	if !alone {
		lease, err := locker.Obtain(ctx, "either", time.Minute, nil) // verdict: unverified
		if err != nil {
			return err
		}
		defer lease.Release(context.WithoutCancel(ctx))
	}
	return job.Run(ctx)
}

// Twice releases early where it can, and in a defer in any case.
func Twice(ctx context.Context, locker *redislock.Client, job Job) error {
	lease, err := locker.Obtain(ctx, "twice", time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	var once sync.Once
	release := func() {
		once.Do(func() {
			if err := lease.Release(context.WithoutCancel(ctx)); err != nil {
				log.Print(err)
			}
		})
	}
	defer release()
	if err := job.Run(ctx); err != nil {
		return err
	}
	release()
	_, err = job.Due(ctx)
	return err
}

// Hourly lets one instance an hour through: the key is there to run out, and is deleted only for another try.
func Hourly(ctx context.Context, rdb *redis.Client, owner string, job Job) error {
	const key = "lock:hourly"
	ok, err := rdb.SetNX(ctx, key, owner, time.Hour).Result() // verdict: unverified
	if err != nil || !ok {
		return err
	}
	if err := job.Run(ctx); err != nil {
		return errors.Join(err, free(ctx, rdb, key, owner))
	}
	return nil
}
