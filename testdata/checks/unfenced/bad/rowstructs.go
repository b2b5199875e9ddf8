package bad

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
WHERE id = $1 AND due < now() RETURNING trip, id, label`

// Deliver compares the number of the parcel, which stands behind that of the trip.
func Deliver(ctx context.Context, db *sqlx.DB, id int64) error {
	var p parcel
	if err := db.GetContext(ctx, &p, loadParcel, id); err != nil { // verdict: unfenced
		return err
	}
	_, err := db.ExecContext(ctx, "UPDATE doors SET label = $1, parcel = $2 WHERE name = $1 AND parcel <= $2", p.Label, p.ID) // want: unfenced
	return err
}

// Sign does so with what gorm scans.
func Sign(ctx context.Context, db *gorm.DB, id int64) error {
	var p parcel
	res := db.WithContext(ctx).Raw("UPDATE parcels SET trip = trip + 1, due = now() + interval '3 minutes' WHERE id = ? AND due < now() RETURNING trip, id, label", id).Scan(&p) // verdict: unfenced
	if res.Error != nil {
		return res.Error
	}
	if res.RowsAffected == 0 {
		return errBusy
	}
	res = db.WithContext(ctx).Exec("UPDATE receipts SET parcel = ? WHERE name = ? AND parcel < ?", p.ID, p.Label, p.ID) // want: unfenced
	if res.Error == nil && res.RowsAffected == 0 {
		return errBusy
	}
	return res.Error
}
