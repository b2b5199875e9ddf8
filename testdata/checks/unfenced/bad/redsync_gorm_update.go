package bad

import (
	"context"
	"errors"
	"time"

	"github.com/go-redsync/redsync/v4"
	"gorm.io/gorm"
)

type Coupon struct {
	Code string `gorm:"primaryKey"`
	Left int
}

// Redeem: the WHERE of the update names the row and nothing that a newer holder would have changed.
func Redeem(ctx context.Context, rs *redsync.Redsync, db *gorm.DB, code string) (err error) {
	mutex := rs.NewMutex("lock:coupon:"+code, redsync.WithExpiry(5*time.Second), redsync.WithTries(3))
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

	var c Coupon
	if err := db.WithContext(ctx).Where("code = ?", code).Take(&c).Error; err != nil {
		return err
	}
	if c.Left == 0 {
		return errors.New("coupon is used up")
	}
	return db.WithContext(ctx).Model(&Coupon{}).Where("code = ?", code).Update("left", c.Left-1).Error // want: unfenced
}
