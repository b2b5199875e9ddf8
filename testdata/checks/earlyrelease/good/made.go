package good

import (
	"context"
	"database/sql"
	"time"

	"github.com/bsm/redislock"
)

// Invite leaves it to the key of the table whether somebody is invited already.
func Invite(ctx context.Context, locker *redislock.Client, db *sql.DB, party int64, guest string) error {
	lease, err := locker.Obtain(ctx, "party", time.Second, nil) // verdict: no-visible-write
	if err != nil {
		return err
	}
	var n int
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM guests WHERE party = $1 AND name = $2", party, guest).Scan(&n)
	lease.Release(context.WithoutCancel(ctx))
	if err != nil || n > 0 {
		return err
	}
	_, err = db.ExecContext(ctx, "INSERT INTO guests (party, name, said) VALUES ($1, $2, false) ON CONFLICT DO NOTHING", party, guest)
	return err
}

// Toast writes down who has spoken: that somebody was asked for is another thing.
func Toast(ctx context.Context, locker *redislock.Client, db *sql.DB, party int64, guest, words string) error {
	lease, err := locker.Obtain(ctx, "party", time.Second, nil) // verdict: no-visible-write
	if err != nil {
		return err
	}
	var host string
	err = db.QueryRowContext(ctx, "SELECT host FROM speeches WHERE party = $1 AND name = $2", party, guest).Scan(&host)
	lease.Release(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "INSERT INTO speeches (party, words) VALUES ($1, $2)", party, words)
	return err
}
