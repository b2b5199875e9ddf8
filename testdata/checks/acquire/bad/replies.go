package bad

import (
	"context"
	"database/sql"
	"time"

	"github.com/bsm/redislock"
)

// Ferries keeps the berth of each ferry for callers on other hosts.
type Ferries struct {
	locker *redislock.Client
	held   *redislock.Lock
}

// Berth is what they are told.
type Berth struct {
	Yours bool
	Until time.Time
}

func (f *Ferries) moor(ctx context.Context, name string) error {
	lock, err := f.locker.Obtain(ctx, "berth:"+name, time.Minute, nil)
	if err == nil {
		f.held = lock
	}
	return err
}

// Leave gives the berth back.
func (f *Ferries) Leave(ctx context.Context) error {
	return f.held.Release(context.WithoutCancel(ctx))
}

// Moor tells everybody the same, but for the time.
func (f *Ferries) Moor(ctx context.Context, name string) (*Berth, error) {
	if err := f.moor(ctx, name); err != nil {
		return &Berth{Yours: true}, nil // want: acquire
	}
	return &Berth{Yours: true, Until: time.Now().Add(time.Minute)}, nil
}

// Tow locks the rope that is shared, and tows whether or not it has got it.
func Tow(ctx context.Context, locker *redislock.Client, db *sql.DB, boats []string, shared bool) error {
	for _, boat := range boats {
		var rope *redislock.Lock
		if shared {
			var err error
			if rope, err = locker.Obtain(ctx, "rope:"+boat, time.Minute, nil); err != nil { // want: acquire // verdict: unfenced
				rope = nil
			}
		}
		_, err := db.ExecContext(ctx, "UPDATE boats SET towed = towed + 1 WHERE name = $1", boat)
		if rope != nil {
			rope.Release(context.WithoutCancel(ctx))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
