package bad

import (
	"context"
	"database/sql"
	"time"

	"github.com/hashicorp/consul/api"
)

// Turn makes the session itself: it is that which says how soon the lock is free.
func Turn(ctx context.Context, client *api.Client, db *sql.DB, node string) error {
	id, _, err := client.Session().Create(&api.SessionEntry{Name: node, TTL: "30s", LockDelay: 5 * time.Millisecond}, nil) // want: lockdelay
	if err != nil {
		return err
	}
	go client.Session().RenewPeriodic("30s", id, nil, ctx.Done()) // want: renewal
	l, err := client.LockOpts(&api.LockOptions{
		Key:     "turn",
		Session: id,
	})
	if err != nil {
		return err
	}
	lost, err := l.Lock(ctx.Done()) // verdict: unfenced
	if err != nil || lost == nil {
		return err
	}
	defer l.Unlock()
	_, err = db.ExecContext(ctx, "UPDATE mill SET rounds = rounds + 1") // want: unfenced
	return err
}
