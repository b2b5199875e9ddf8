package bad

import (
	"context"
	"database/sql"
	"time"

	"github.com/redis/go-redis/v9"
)

// A DistLock runs out by itself: nobody gives it back.
type DistLock struct{ rdb *redis.Client }

// TryHold tells whether it was free.
func (d *DistLock) TryHold(ctx context.Context, name string) (bool, error) {
	return d.rdb.SetNX(ctx, "hold:"+name, 1, time.Hour).Result()
}

// Tally goes by the error alone, which says that Redis was there.
func Tally(ctx context.Context, d *DistLock, db *sql.DB) error {
	if _, err := d.TryHold(ctx, "tally"); err != nil { // want: acquire // verdict: unfenced
		return err
	}
	_, err := db.ExecContext(ctx, "UPDATE votes SET counted = $1", time.Now().Day()) // note: unfenced
	return err
}

// A Matron locks wards through whatever keeps the locks.
type Matron struct {
	locks wardLocks
	db    *sql.DB
}

type wardLocks interface {
	Lock(ctx context.Context, ward string, ttl time.Duration) bool
}

type redisWards struct{ rdb *redis.Client }

func (r *redisWards) Lock(ctx context.Context, ward string, ttl time.Duration) bool {
	free, err := r.rdb.SetNX(ctx, "ward:"+ward, 1, ttl).Result()
	return err == nil && free
}

// NewMatron keeps the locks in Redis.
func NewMatron(rdb *redis.Client, db *sql.DB) *Matron {
	return &Matron{locks: &redisWards{rdb}, db: db}
}

// Round does not look whether somebody else is on the ward.
func (w *Matron) Round(ctx context.Context, ward, bed string) error {
	w.locks.Lock(ctx, ward, time.Hour)                                                  // want: acquire // verdict: unfenced
	_, err := w.db.ExecContext(ctx, "UPDATE beds SET seen = true WHERE name = $1", bed) // note: unfenced
	return err
}
