package bad

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"gorm.io/gorm"
)

// Ticket is a row of which the greatest number counts.
type Ticket struct {
	Hall string `gorm:"primaryKey"`
	Last int64
}

// Hall draws numbers.
type Hall struct {
	db     *gorm.DB
	locker *redislock.Client
}

// Draw stores the next number when the lock, which was the helper's, is free.
func (h *Hall) Draw(ctx context.Context, hall string) (int64, error) {
	t, err := h.last(ctx, hall)
	if err != nil {
		return 0, err
	}
	n := t.Last + 1
	return n, h.db.WithContext(ctx).Model(&Ticket{}).Where("hall = ?", hall).Update("last", n).Error // want: earlyrelease
}

func (h *Hall) last(ctx context.Context, hall string) (t Ticket, err error) {
	lease, err := h.locker.Obtain(ctx, "hall:"+hall, time.Minute, nil) // verdict: unfenced
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, lease.Release(context.WithoutCancel(ctx))) }()
	err = h.db.WithContext(ctx).Take(&t, "hall = ?", hall).Error
	return t, err
}

// Spend is the same in plain SQL, through one more function.
func Spend(ctx context.Context, locker *redislock.Client, db *sql.DB, purse string, coins int64) error {
	n, err := checked(ctx, locker, db, purse, coins)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "UPDATE purses SET coins = $2 WHERE id = $1", purse, n-coins) // want: earlyrelease
	return err
}

func checked(ctx context.Context, locker *redislock.Client, db *sql.DB, purse string, coins int64) (int64, error) {
	n, err := inside(ctx, locker, db, purse)
	if err == nil && n < coins {
		err = errors.New("too few")
	}
	return n, err
}

func inside(ctx context.Context, locker *redislock.Client, db *sql.DB, purse string) (n int64, err error) {
	lease, err := locker.Obtain(ctx, "purse:"+purse, time.Minute, nil) // verdict: unfenced
	if err != nil {
		return 0, err
	}
	defer lease.Release(context.WithoutCancel(ctx))
	err = db.QueryRowContext(ctx, "SELECT coins FROM purses WHERE id = $1", purse).Scan(&n)
	return n, err
}
