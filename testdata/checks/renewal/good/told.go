package good

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"os"
	"time"

	"cirello.io/dynamolock/v2"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// Server is started by whoever leads.
type Server interface {
	Serve(ctx context.Context) error
}

// Command ends with its leadership, be it by the end of the process.
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
			OnStoppedLeading: func() {
				log.Print("leads no more")
				os.Exit(1)
			},
		},
	})
}

// Monitor stops when it is told.
func Monitor(ctx context.Context, client *dynamolock.Client, turn func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	l, err := client.AcquireLockWithContext(ctx, "monitor",
		dynamolock.WithSessionMonitor(5*time.Second, func() {
			log.Print("the lease is about to end")
			stop()
		}))
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

// Chief keeps the connection that owns its lock, and asks in each turn whether it lives.
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
	if err := c.rise(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer c.retire()
	for ctx.Err() == nil {
		if err := c.conn.PingContext(ctx); err != nil {
			return err
		}
		if _, err := c.db.ExecContext(ctx, "INSERT INTO decrees (text) VALUES ('carry on')"); err != nil { // want: unfenced
			return err
		}
		time.Sleep(time.Second)
	}
	return nil
}
