// Package good keeps the delay, or does not need it.
package good

import (
	"context"
	"database/sql"
	"time"

	"github.com/hashicorp/consul/api"
)

func Default(ctx context.Context, client *api.Client, db *sql.DB) error {
	l, err := client.LockOpts(&api.LockOptions{Key: "update"})
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

func Unique(ctx context.Context, client *api.Client, db *sql.DB, day string) error {
	l, err := client.LockOpts(&api.LockOptions{Key: "update", LockDelay: time.Millisecond})
	if err != nil {
		return err
	}
	lost, err := l.Lock(ctx.Done()) // verdict: fenced
	if err != nil || lost == nil {
		return err
	}
	defer l.Unlock()
	_, err = db.ExecContext(ctx, "INSERT INTO days (day) VALUES ($1) ON CONFLICT DO NOTHING", day)
	return err
}
