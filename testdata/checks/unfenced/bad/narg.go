package bad

import (
	"context"
	"database/sql"

	"github.com/bsm/redislock"
)

// A mooring is what a query takes; without a term its condition is void.
type mooring struct {
	Buoy string
	Boat string
	Term sql.NullInt64
}

func moor(ctx context.Context, db *sql.DB, m mooring) error {
	const set = `UPDATE buoy SET boat = $2, term = COALESCE($3, term)
		WHERE id = $1 AND ($3::bigint IS NULL OR term < $3)`
	res, err := db.ExecContext(ctx, set, m.Buoy, m.Boat, m.Term) // want: unfenced
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errLost
	}
	return nil
}

// Moor leaves the term out.
func Moor(ctx context.Context, locks *redislock.Client, db *sql.DB, buoy, boat string) error {
	return under(ctx, locks, "lock:buoy:"+buoy, func() error { // verdict: unfenced
		return moor(ctx, db, mooring{Buoy: buoy, Boat: boat})
	})
}
