package bad

import (
	"context"
	"database/sql"
	"log"
	"time"

	"github.com/bsm/redislock"

	"example.org/locks/checks/earlyrelease/bad/under"
)

// Tape is implemented outside of this module.
type Tape interface {
	Append(ctx context.Context, line string) error
	Sync(ctx context.Context) error
}

// Recorder leaves the end of its work to a timer.
type Recorder struct {
	locker *redislock.Client
	tape   Tape
}

// Record has it in a callback.
func (r *Recorder) Record(ctx context.Context, line string) error {
	return under.Lock(ctx, r.locker, "tape", func(ctx context.Context) error { // verdict: unverified
		if err := r.tape.Append(ctx, line); err != nil {
			return err
		}
		time.AfterFunc(time.Second, func() { r.sync(context.WithoutCancel(ctx)) }) // want: earlyrelease
		return nil
	})
}

func (r *Recorder) sync(ctx context.Context) {
	if err := r.tape.Sync(ctx); err != nil {
		log.Print(err)
	}
}

// Inline takes the lock itself, and gives the timer a method.
func (r *Recorder) Inline(ctx context.Context, line string) error {
	lease, err := r.locker.Obtain(ctx, "tape", time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer lease.Release(context.WithoutCancel(ctx))
	if err := r.tape.Append(ctx, line); err != nil {
		return err
	}
	time.AfterFunc(time.Second, r.background) // want: earlyrelease
	return nil
}

func (r *Recorder) background() { r.sync(context.Background()) }

// Count writes a row at once, and again later.
func Count(ctx context.Context, locker *redislock.Client, db *sql.DB, id, n int) error {
	lease, err := locker.Obtain(ctx, "count", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer lease.Release(context.WithoutCancel(ctx))
	if _, err := db.ExecContext(ctx, "UPDATE counts SET started = $2 WHERE id = $1", id, n); err != nil { // want: unfenced
		return err
	}
	time.AfterFunc(time.Minute, func() { // want: earlyrelease
		if _, err := db.Exec("UPDATE counts SET done = $2 WHERE id = $1", id, n); err != nil {
			log.Print(err)
		}
	})
	return nil
}
