package bad

import (
	"context"
	"database/sql"
	"log"
	"time"

	"github.com/bsm/redislock"
	"gorm.io/gorm"
)

// A Seal is put on a letter once.
type Seal struct {
	ID     int64
	Letter string
	Color  string
	Weight int
}

func seals(db *gorm.DB, letter, color string) ([]Seal, error) {
	var found []Seal
	err := db.Model(&Seal{}).Where("letter = ? AND color = ?", letter, color).Find(&found).Error
	return found, err
}

// Stamp looks whether there is a seal, and makes one when others may look again. On two ways it
// forgets the lock.
func Stamp(ctx context.Context, locker *redislock.Client, db *gorm.DB, letter, color string) {
	lease, err := locker.Obtain(ctx, "letter/"+letter, time.Second, nil) // want: release // verdict: unfenced
	if err != nil {
		log.Print(err)
		return
	}
	found, err := seals(db, letter, color)
	if err != nil {
		log.Print(err)
		return
	}
	if len(found) > 0 {
		return
	}
	lease.Release(context.WithoutCancel(ctx))
	if err := db.Create(&Seal{Letter: letter, Color: color, Weight: 3}).Error; err != nil { // want: earlyrelease
		log.Print(err)
	}
}

// Invite looks whether somebody is invited, and does so after it.
func Invite(ctx context.Context, locker *redislock.Client, db *sql.DB, party int64, guest string) error {
	lease, err := locker.Obtain(ctx, "party", time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	var n int
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM guests WHERE party = $1 AND name = $2", party, guest).Scan(&n)
	lease.Release(context.WithoutCancel(ctx))
	if err != nil || n > 0 {
		return err
	}
	_, err = db.ExecContext(ctx, "INSERT INTO guests (party, name, said) VALUES ($1, $2, false)", party, guest) // want: earlyrelease
	return err
}
