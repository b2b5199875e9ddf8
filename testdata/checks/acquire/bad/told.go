package bad

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// A Door tells by the flag alone that somebody else is in: the error is that of the store.
type Door struct {
	rdb *redis.Client
	me  string
}

// Enter tries once.
func (d *Door) Enter(ctx context.Context) (bool, error) {
	in, err := d.rdb.SetNX(ctx, "lock:door", d.me, time.Minute).Result()
	if err != nil {
		return false, fmt.Errorf("at the door: %w", err)
	}
	return in, nil
}

// Leave opens it for others.
func (d *Door) Leave(ctx context.Context) error {
	return drop.Run(context.WithoutCancel(ctx), d.rdb, []string{"lock:door"}, d.me).Err()
}

// Mop asks for the error alone.
func Mop(ctx context.Context, db *sql.DB, d *Door) error {
	if _, err := d.Enter(ctx); err != nil { // want: acquire // verdict: unfenced
		return err
	}
	defer d.Leave(ctx)
	_, err := db.ExecContext(ctx, "UPDATE porches SET mopped = now() WHERE id = 1")
	return err
}
