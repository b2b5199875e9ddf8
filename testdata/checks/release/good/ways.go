package good

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"time"

	"github.com/bsm/redislock"
	"github.com/hashicorp/consul/api"
	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Before defers the release before it asks: Release of a nil lock does nothing.
func Before(ctx context.Context, locker *redislock.Client, job Job) error {
	lease, err := locker.Obtain(ctx, "before", time.Minute, nil) // verdict: unverified
	defer lease.Release(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	return job.Run(ctx)
}

// Flagged releases only what was taken.
func Flagged(ctx context.Context, rdb *redis.Client, id, owner string, job Job) (err error) {
	key := "lock:flagged:" + id
	held := false
	defer func() {
		if held {
			err = errors.Join(err, free(ctx, rdb, key, owner))
		}
	}()
	held, err = rdb.SetNX(ctx, key, owner, time.Minute).Result() // verdict: unverified
	if err != nil {
		return err
	}
	if !held {
		return errBusy
	}
	return job.Run(ctx)
}

// Exit releases first, because deferred calls would not run.
func Exit(ctx context.Context, locker *redislock.Client, job Job) {
	lease, err := locker.Obtain(ctx, "exit", time.Minute, nil) // verdict: unverified
	if err != nil {
		log.Fatal(err)
	}
	err = errors.Join(job.Run(ctx), lease.Release(context.WithoutCancel(ctx)))
	if err != nil {
		log.Fatal(err)
	}
}

// Lost ends the process when the lock is gone: there is nothing left to release.
func Lost(ctx context.Context, client *api.Client, job Job) error {
	l, err := client.LockKey("lost")
	if err != nil {
		return err
	}
	lost, err := l.Lock(ctx.Done()) // verdict: unverified
	if err != nil {
		return err
	}
	if lost == nil {
		return ctx.Err()
	}
	defer l.Unlock()
	done := make(chan error, 1)
	go func() { done <- job.Run(ctx) }()
	select {
	case err := <-done:
		return err
	case <-lost:
		log.Fatal("the lock was lost")
	}
	return nil
}

// Extended gives up when the lease cannot be extended: it is gone.
func Extended(ctx context.Context, locker *redislock.Client, jobs []Job) error {
	lease, err := locker.Obtain(ctx, "extended", time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	for _, job := range jobs {
		if err := lease.Refresh(ctx, time.Minute, nil); err != nil {
			return err
		}
		if err := job.Run(ctx); err != nil {
			return errors.Join(err, lease.Release(context.WithoutCancel(ctx)))
		}
	}
	return lease.Release(context.WithoutCancel(ctx))
}

// Fresh releases with a context of its own.
func Fresh(parent context.Context, locker *redislock.Client, job Job) (err error) {
	ctx, cancel := context.WithTimeout(parent, time.Minute)
	defer cancel()
	lease, err := locker.Obtain(ctx, "fresh", 2*time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err = errors.Join(err, lease.Release(ctx))
	}()
	<-ctx.Done()
	return job.Run(ctx)
}

// Inner ends the work's context, not the one that the release is sent with.
func Inner(ctx context.Context, locker *redislock.Client, job Job) error {
	lease, err := locker.Obtain(ctx, "inner", time.Minute, nil) // verdict: unverified
	if err != nil {
		return err
	}
	work, cancel := context.WithCancel(ctx)
	err = job.Run(work)
	cancel()
	<-work.Done()
	return errors.Join(err, lease.Release(ctx)) // note: release
}

// Closed ends the session in a defer.
func Closed(ctx context.Context, cli *clientv3.Client, job Job) error {
	session, err := concurrency.NewSession(cli)
	if err != nil {
		return err
	}
	defer session.Close()
	mutex := concurrency.NewMutex(session, "/closed")
	if err := mutex.Lock(ctx); err != nil { // verdict: unverified
		return err
	}
	return errors.Join(job.Run(ctx), mutex.Unlock(context.WithoutCancel(ctx)))
}

// Connection ends the session itself, not its stay in a pool.
func Connection(ctx context.Context, dsn string, id int64, job Job) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // verdict: unverified
		return err
	}
	return job.Run(ctx)
}

// Two takes two locks of one session, and releases both.
func Two(ctx context.Context, conn *sql.Conn, a, b int64, job Job) (err error) {
	free := func(id int64) {
		_, e := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id)
		err = errors.Join(err, e)
	}
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", a); err != nil { // verdict: unverified
		return err
	}
	defer free(a)
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", b); err != nil { // verdict: unverified
		return err
	}
	defer free(b)
	return job.Run(ctx)
}
