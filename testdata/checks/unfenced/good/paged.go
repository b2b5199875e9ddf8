package good

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
)

// A Gull remembers what it saw on the way. Its tokens are those of pages and of a rate, and
// no holder of a lock is told by them.
type Gull struct {
	seen        map[string]int
	accessToken string
	tokens      int
}

// Page reads a page of sightings, and those after it.
func (g *Gull) Page(ctx context.Context, db *sql.DB, nextToken string) error {
	var more string
	if err := db.QueryRowContext(ctx, "SELECT next FROM sightings WHERE page = $1", nextToken).Scan(&more); err != nil {
		return err
	}
	g.seen[nextToken]++
	if more == "" {
		return nil
	}
	return g.Page(ctx, db, more)
}

// Renew keeps another access token and rate.
func (g *Gull) Renew(accessToken string, tokens int) {
	g.accessToken, g.tokens = accessToken, tokens
}

// Flight looks around under the lock.
func (g *Gull) Flight(ctx context.Context, locks *redislock.Client, db *sql.DB, access string) (err error) {
	l, err := locks.Obtain(ctx, "flight", time.Minute, nil) // verdict: no-visible-write
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release(context.WithoutCancel(ctx))) }()
	g.Renew(access, 10)
	return g.Page(ctx, db, "first")
}
