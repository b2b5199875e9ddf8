// Package bad works after it has given the lock back.
package bad

import (
	"context"
	"database/sql"
	"log"
	"time"

	"github.com/bsm/redislock"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// Number reads the counter under the lock and writes it later.
func Number(ctx context.Context, locker *redislock.Client, db *sql.DB, id int64) (n int64, err error) {
	lease, err := locker.Obtain(ctx, "number", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return 0, err
	}
	err = db.QueryRowContext(ctx, "SELECT n FROM number WHERE id = $1", id).Scan(&n)
	if e := lease.Release(context.WithoutCancel(ctx)); err == nil {
		err = e
	}
	if err != nil {
		return 0, err
	}
	_, err = db.ExecContext(ctx, "UPDATE number SET n = $2 WHERE id = $1", id, n+1) // want: earlyrelease
	return n, err
}

// Empty locks and unlocks, and then begins.
func Empty(ctx context.Context, locker *redislock.Client, db *sql.DB, id int64) error {
	lease, err := locker.Obtain(ctx, "empty", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	if err := lease.Release(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "UPDATE empty SET n = n + 1 WHERE id = $1", id) // want: earlyrelease
	return err
}

// Left starts the write and leaves.
func Left(ctx context.Context, locker *redislock.Client, db *sql.DB, id int64) error {
	lease, err := locker.Obtain(ctx, "left", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer lease.Release(context.WithoutCancel(ctx))
	go func() { // want: earlyrelease
		if _, err := db.ExecContext(context.WithoutCancel(ctx), "UPDATE lefts SET n = n + 1 WHERE id = $1", id); err != nil { // want: unfenced
			log.Print(err)
		}
	}()
	return nil
}

// Leader gives the lease back while its work may still run.
func Leader(ctx context.Context, rl resourcelock.Interface, lead func(context.Context)) {
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: rl, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		ReleaseOnCancel: true, // want: earlyrelease
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: lead,
			OnStoppedLeading: func() { log.Fatal("lost") },
		},
	})
}
