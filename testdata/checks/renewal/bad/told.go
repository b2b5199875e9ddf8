package bad

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"time"

	"cirello.io/dynamolock/v2"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// Server is started by whoever leads.
type Server interface {
	Serve(ctx context.Context) error
}

// Command serves on a context that the end of leadership does not end.
func Command(ctx context.Context, l resourcelock.Interface, s Server) {
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{ // verdict: unverified
		Lock:          l,
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) {
				if err := s.Serve(context.Background()); err != nil {
					log.Print(err)
				}
			},
			OnStoppedLeading: func() { log.Print("leads no more") }, // want: renewal
		},
	})
}

// Monitor is told in time that its lease is about to end, and writes that down.
func Monitor(ctx context.Context, client *dynamolock.Client, turn func(context.Context) error) error {
	l, err := client.AcquireLockWithContext(ctx, "monitor", // want: renewal
		dynamolock.WithSessionMonitor(5*time.Second, func() { log.Print("the lease is about to end") }))
	if err != nil {
		return err
	}
	defer client.ReleaseLockWithContext(context.WithoutCancel(ctx), l)
	for ctx.Err() == nil {
		if err := turn(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Chief keeps the connection that owns its lock, and never asks whether it lives.
type Chief struct {
	db   *sql.DB
	conn *sql.Conn
}

func (c *Chief) rise(ctx context.Context) error {
	conn, err := c.db.Conn(ctx)
	if err != nil {
		return err
	}
	var got sql.NullInt64
	if err := conn.QueryRowContext(ctx, "SELECT GET_LOCK('chief', 0)").Scan(&got); err != nil {
		conn.Close()
		return err
	}
	if got.Int64 != 1 {
		conn.Close()
		return errors.New("there is a chief")
	}
	c.conn = conn
	return nil
}

func (c *Chief) retire() {
	c.conn.ExecContext(context.Background(), "SELECT RELEASE_LOCK('chief')")
	c.conn.Close()
}

// Rule writes through the pool.
func (c *Chief) Rule(ctx context.Context) error {
	if err := c.rise(ctx); err != nil { // want: renewal // verdict: unfenced
		return err
	}
	defer c.retire()
	for ctx.Err() == nil {
		if _, err := c.db.ExecContext(ctx, "INSERT INTO decrees (text) VALUES ('carry on')"); err != nil { // want: unfenced
			return err
		}
		time.Sleep(time.Second)
	}
	return nil
}
