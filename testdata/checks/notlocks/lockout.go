package notlocks

import (
	"context"
	"database/sql"
	"time"

	"github.com/redis/go-redis/v9"
)

// Doors keep out who has tried too often, for a while.
type Doors struct {
	rdb *redis.Client
	db  *sql.DB
}

func (d *Doors) lockOut(ctx context.Context, user string) bool {
	fresh, err := d.rdb.SetNX(ctx, "lockout:"+user, 1, 15*time.Minute).Result()
	return err == nil && fresh
}

// LockedOut is what the key is for.
func (d *Doors) LockedOut(ctx context.Context, user string) bool {
	n, err := d.rdb.Exists(ctx, "lockout:"+user).Result()
	return err == nil && n > 0
}

// Failed locks a user out after five tries; whether he was already is nobody's business.
func (d *Doors) Failed(ctx context.Context, user string, tries int) error {
	if tries > 5 {
		d.lockOut(ctx, user)
	}
	_, err := d.db.ExecContext(ctx, "INSERT INTO failures (who) VALUES ($1)", user)
	return err
}

// Remember marks what was seen.
func (d *Doors) remember(ctx context.Context, visit string) bool {
	first, err := d.rdb.SetNX(ctx, "visit:"+visit, 1, time.Hour).Result()
	return err == nil && first
}

// Enter marks a visit, be it the first or not.
func (d *Doors) Enter(ctx context.Context, visit string) error {
	d.remember(ctx, visit)
	_, err := d.db.ExecContext(ctx, "INSERT INTO visits (id) VALUES ($1)", visit)
	return err
}
