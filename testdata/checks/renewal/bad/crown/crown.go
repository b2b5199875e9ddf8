// Package crown says by a flag who wears it.
package crown

import (
	"context"
	"log"
	"sync/atomic"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Crown is worn by one at a time, as those who wear it think.
type Crown struct {
	client   *clientv3.Client
	session  *concurrency.Session
	election *concurrency.Election
	isLeader atomic.Bool
}

// Claim claims it in the background, and nobody asks whether the session still lives.
func (c *Crown) Claim(ctx context.Context, name string) error {
	session, err := concurrency.NewSession(c.client, concurrency.WithTTL(5))
	if err != nil {
		return err
	}
	c.session, c.election = session, concurrency.NewElection(session, "crown")
	go func() {
		if err := c.election.Campaign(ctx, name); err != nil { // verdict: unverified // want: renewal
			log.Print(err)
			return
		}
		c.isLeader.Store(true)
	}()
	return nil
}

// Worn is asked by those who would do what only its wearer may.
func (c *Crown) Worn() bool { return c.isLeader.Load() }

// Abdicate gives it away.
func (c *Crown) Abdicate(ctx context.Context) error {
	c.isLeader.Store(false)
	if err := c.election.Resign(ctx); err != nil {
		log.Print(err)
	}
	return c.session.Close()
}
