// Package bad lets the next holder in at once.
package bad

import (
	"context"
	"database/sql"
	"time"

	"github.com/hashicorp/consul/api"
)

func Update(ctx context.Context, client *api.Client, db *sql.DB) error {
	l, err := client.LockOpts(&api.LockOptions{Key: "update", LockDelay: time.Millisecond}) // want: lockdelay
	if err != nil {
		return err
	}
	lost, err := l.Lock(ctx.Done()) // verdict: unfenced
	if err != nil || lost == nil {
		return err
	}
	defer l.Unlock()
	_, err = db.ExecContext(ctx, "UPDATE site SET hits = hits + 1") // want: unfenced
	return err
}
