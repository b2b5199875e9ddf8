package bad

import (
	"context"
	"errors"

	"github.com/go-redsync/redsync/v4"
	"gorm.io/gorm"
)

type Seat struct {
	ID     uint
	Holder string
}

// TakeSeat: redsync with its default expiry around a gorm Save.
func TakeSeat(ctx context.Context, rs *redsync.Redsync, db *gorm.DB, id uint, who string) (err error) {
	mutex := rs.NewMutex("lock:seats")
	if err := mutex.LockContext(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() {
		ok, e := mutex.UnlockContext(context.WithoutCancel(ctx))
		if e == nil && !ok {
			e = errLost
		}
		err = errors.Join(err, e)
	}()

	var seat Seat
	if err := db.WithContext(ctx).First(&seat, id).Error; err != nil {
		return err
	}
	if seat.Holder != "" {
		return errors.New("seat is taken")
	}
	seat.Holder = who
	return db.WithContext(ctx).Save(&seat).Error // want: unfenced
}
