package tables

import (
	"context"

	"github.com/jmoiron/sqlx"
	"gorm.io/gorm"
)

// parcel is a row: its fields are the columns of their names, whichever comes first.
type parcel struct {
	ID    int64
	Trip  int64
	Label string
}

const loadParcel = `UPDATE parcels SET trip = trip + 1, due = now() + interval '3 minutes'
WHERE id = $1 AND due < now() RETURNING id, label, trip`

// Deliver delivers on the trip that it has loaded the parcel for.
func Deliver(ctx context.Context, db *sqlx.DB, id int64) error {
	var p parcel
	if err := db.GetContext(ctx, &p, loadParcel, id); err != nil { // verdict: fenced
		return err
	}
	return one(db.ExecContext(ctx, "UPDATE parcels SET state = 'delivered', label = $1 WHERE id = $2 AND trip = $3", p.Label, p.ID, p.Trip))
}

// Return does so with what a row is scanned into.
func Return(ctx context.Context, db *sqlx.DB, id int64) error {
	var p parcel
	if err := db.QueryRowxContext(ctx, loadParcel, id).StructScan(&p); err != nil { // verdict: fenced
		return err
	}
	return one(db.ExecContext(ctx, "UPDATE parcels SET state = 'returned' WHERE id = $1 AND trip = $2", p.ID, p.Trip))
}

// Sign does so with what gorm scans.
func Sign(ctx context.Context, db *gorm.DB, id int64) error {
	var p parcel
	res := db.WithContext(ctx).Raw("UPDATE parcels SET trip = trip + 1, due = now() + interval '3 minutes' WHERE id = ? AND due < now() RETURNING id, label, trip", id).Scan(&p) // verdict: fenced
	if res.Error != nil {
		return res.Error
	}
	if res.RowsAffected == 0 {
		return ErrLocked
	}
	res = db.WithContext(ctx).Model(&parcel{}).Where("id = ? AND trip = ?", p.ID, p.Trip).Updates(map[string]any{"state": "signed"})
	if res.Error == nil && res.RowsAffected == 0 {
		return ErrLocked
	}
	return res.Error
}
