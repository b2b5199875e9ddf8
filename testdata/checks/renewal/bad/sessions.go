// Package bad holds leases whose end nobody notices, or that end under a healthy
// holder. The sections run the caller's code, so their verdict is the caller's.
package bad

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"time"

	"cirello.io/dynamolock/v2"
	"github.com/go-zookeeper/zk"
	"github.com/hashicorp/consul/api"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

var errBusy = errors.New("held elsewhere")

// Migrate makes the session itself, so nobody else can watch it.
func Migrate(ctx context.Context, cli *clientv3.Client, steps func(context.Context) error) error {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(20))
	if err != nil {
		return err
	}
	defer session.Close()
	mutex := concurrency.NewMutex(session, "/locks/migrate")
	if err := mutex.Lock(ctx); err != nil { // want: renewal
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return steps(ctx)
}

// Plain keeps a lock of etcd as one that any mutex could be.
func Plain(cli *clientv3.Client, steps func() error) error {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(20))
	if err != nil {
		return err
	}
	defer session.Close()
	locker := concurrency.NewLocker(session, "/locks/plain")
	locker.Lock() // want: renewal
	defer locker.Unlock()
	return steps()
}

// Lead campaigns and then works for good.
func Lead(ctx context.Context, cli *clientv3.Client, me string, turn func(context.Context) error) error {
	session, err := concurrency.NewSession(cli)
	if err != nil {
		return err
	}
	defer session.Close()
	election := concurrency.NewElection(session, "/leader/billing")
	if err := election.Campaign(ctx, me); err != nil { // want: renewal
		return err
	}
	defer election.Resign(context.WithoutCancel(ctx))
	for {
		if err := turn(ctx); err != nil {
			return err
		}
	}
}

// Compact asks Consul's channel only whether there is one.
func Compact(ctx context.Context, client *api.Client, run func(context.Context) error) error {
	l, err := client.LockKey("service/compact")
	if err != nil {
		return err
	}
	lost, err := l.Lock(ctx.Done()) // want: renewal
	if err != nil {
		return err
	}
	if lost == nil {
		return errBusy
	}
	defer l.Unlock()
	return run(ctx)
}

// Elect writes a log line when the session is gone.
func Elect(ctx context.Context, client *api.Client, run func(context.Context) error) error {
	id, _, err := client.Session().Create(&api.SessionEntry{Name: "billing", TTL: "20s"}, nil)
	if err != nil {
		return err
	}
	won, _, err := client.KV().Acquire(&api.KVPair{Key: "leader/billing", Session: id}, nil)
	if err != nil {
		return err
	}
	if !won {
		return errBusy
	}
	defer client.KV().Release(&api.KVPair{Key: "leader/billing", Session: id}, nil)
	go func() {
		if err := client.Session().RenewPeriodic("20s", id, nil, ctx.Done()); err != nil { // want: renewal
			log.Printf("session %s: %v", id, err)
		}
	}()
	return run(ctx)
}

// Sweep drops the events by which ZooKeeper tells that the session ended.
func Sweep(ctx context.Context, hosts []string, turn func(context.Context)) error {
	conn, _, err := zk.Connect(hosts, 8*time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	l := zk.NewLock(conn, "/sweep", zk.WorldACL(zk.PermAll))
	if err := l.Lock(); err != nil { // want: renewal
		return err
	}
	defer l.Unlock()
	for ctx.Err() == nil {
		turn(ctx)
	}
	return ctx.Err()
}

// Export relies on heartbeats, and does not hear when they stop.
func Export(ctx context.Context, locks *dynamolock.Client, run func(context.Context) error) error {
	l, err := locks.AcquireLockWithContext(ctx, "export", dynamolock.FailIfLocked()) // want: renewal
	if err != nil {
		return err
	}
	defer l.Close()
	return run(ctx)
}

// Drain polls through the pool for hours. When the connection that owns the lock
// breaks, the database gives the lock to the next one.
func Drain(ctx context.Context, db *sql.DB, batch func(context.Context, *sql.DB) (int, error)) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock(7)"); err != nil { // want: renewal // verdict: unfenced
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock(7)")
	for ctx.Err() == nil {
		if _, err := batch(ctx, db); err != nil {
			return err
		}
		if err := flush(ctx, db); err != nil {
			return fmt.Errorf("flush: %w", err)
		}
	}
	return ctx.Err()
}

func flush(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, "DELETE FROM outbox WHERE sent") // want: unfenced
	return err
}

// Control logs the end of leadership; the work has a context of its own.
func Control(ctx context.Context, lease resourcelock.Interface, loop func(context.Context)) {
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock:          lease,
		LeaseDuration: 20 * time.Second,
		RenewDeadline: 15 * time.Second,
		RetryPeriod:   3 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { loop(context.Background()) },
			OnStoppedLeading: func() { // want: renewal
				log.Println("no longer the leader")
			},
		},
	})
}
