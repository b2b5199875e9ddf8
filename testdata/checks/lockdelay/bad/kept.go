package bad

import (
	"context"
	"database/sql"
	"time"

	"github.com/hashicorp/consul/api"
)

// none is what some take for a faster failover.
const none = 5 * time.Millisecond

// Site keeps its lock.
type Site struct {
	lock *api.Lock
	db   *sql.DB
}

func NewSite(client *api.Client, db *sql.DB) (*Site, error) {
	l, err := client.LockOpts(&api.LockOptions{Key: "site", LockDelay: none}) // want: lockdelay
	if err != nil {
		return nil, err
	}
	return &Site{lock: l, db: db}, nil
}

func (s *Site) Update(ctx context.Context) error {
	lost, err := s.lock.Lock(ctx.Done()) // verdict: unfenced
	if err != nil || lost == nil {
		return err
	}
	defer s.lock.Unlock()
	_, err = s.db.ExecContext(ctx, "UPDATE site SET hits = hits + 1") // want: unfenced
	return err
}

func session(client *api.Client) (string, error) {
	id, _, err := client.Session().Create(&api.SessionEntry{TTL: "15s", LockDelay: none}, nil) // want: lockdelay
	return id, err
}

// Claim takes the key with a session of its own.
func Claim(ctx context.Context, client *api.Client, db *sql.DB) error {
	id, err := session(client)
	if err != nil {
		return err
	}
	defer client.Session().Destroy(id, nil)
	ok, _, err := client.KV().Acquire(&api.KVPair{Key: "claim", Session: id}, nil) // verdict: unfenced
	if err != nil || !ok {
		return err
	}
	_, err = db.ExecContext(ctx, "UPDATE site SET hits = hits + 1") // want: unfenced
	return err
}

// Relay has its delay from its constructor, which nothing else sets.
type Relay struct {
	client *api.Client
	db     *sql.DB
	pause  time.Duration
}

func NewRelay(client *api.Client, db *sql.DB) *Relay {
	return &Relay{client: client, db: db, pause: 20 * none}
}

// hurried sets what is shorter still.
func (r *Relay) hurried() { r.pause = none }

func (r *Relay) Run(ctx context.Context) error {
	l, err := r.client.LockOpts(&api.LockOptions{Key: "relay", LockDelay: r.pause}) // want: lockdelay
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

var pause = none

func Paused(ctx context.Context, client *api.Client, db *sql.DB) error {
	l, err := client.LockOpts(&api.LockOptions{Key: "paused", LockDelay: pause}) // want: lockdelay
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
