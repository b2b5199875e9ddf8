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

// Relay has a delay that its user may lengthen, and one that is none is the default.
type Relay struct {
	client *api.Client
	db     *sql.DB
	pause  time.Duration
}

func NewRelay(client *api.Client, db *sql.DB) *Relay {
	return &Relay{client: client, db: db, pause: 50 * time.Millisecond}
}

func (r *Relay) Wait(d time.Duration) { r.pause = d }

func (r *Relay) Run(ctx context.Context) error {
	l, err := r.client.LockOpts(&api.LockOptions{Key: "relay", LockDelay: r.pause})
	if err != nil {
		return err
	}
	lost, err := l.Lock(ctx.Done()) // verdict: unfenced
	if err != nil || lost == nil {
		return err
	}
	defer l.Unlock()
	_, err = r.db.ExecContext(ctx, "UPDATE site SET hits = hits + 1") // want: unfenced
	return err
}
