package notlocks

import (
	"context"
	"crypto/rand"
	"database/sql"
	"time"

	"github.com/redis/go-redis/v9"
)

// A Desk hands out codes.
type Desk struct {
	rdb  *redis.Client
	db   *sql.DB
	code string
}

// draw tries codes until it finds one that nobody has.
func (d *Desk) draw(ctx context.Context, guest string) {
	for {
		d.code = rand.Text()
		fresh, err := d.rdb.SetNX(ctx, "code:"+d.code, guest, 24*time.Hour).Result()
		if err == nil && fresh {
			return
		}
	}
}

// Welcome draws a code, which is no lock, and writes it down.
func (d *Desk) Welcome(ctx context.Context, guest string) error {
	d.draw(ctx, guest)
	_, err := d.db.ExecContext(ctx, "UPDATE guest SET code = $2 WHERE name = $1", guest, d.code)
	return err
}
