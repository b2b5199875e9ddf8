package bad

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Closed gives the connection back with the lock on it.
func Closed(ctx context.Context, db *sql.DB, id int64, job Job) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // want: release // verdict: unverified
		return err
	}
	return job.Run(ctx)
}

// Pooled does so with a pool of pgx.
func Pooled(ctx context.Context, pool *pgxpool.Pool, id int64, job Job) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // want: release // verdict: unverified
		return err
	}
	return job.Run(ctx)
}

// Again makes sure of the lock by taking it once more.
func Again(ctx context.Context, conn *sql.Conn, id int64, job Job) (err error) {
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // verdict: unverified
		return err
	}
	defer func() {
		_, e := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id)
		err = errors.Join(err, e)
	}()
	if err := job.Run(ctx); err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // want: release // verdict: unverified
		return err
	}
	return job.Run(ctx)
}

// Queue leaves its session in the queue when it gives up waiting.
func Queue(ctx context.Context, cli *clientv3.Client, job Job) error {
	session, err := concurrency.NewSession(cli) // want: release
	if err != nil {
		return err
	}
	mutex := concurrency.NewMutex(session, "/queue")
	if err := mutex.Lock(ctx); err != nil { // verdict: unverified
		return err
	}
	return errors.Join(job.Run(ctx), mutex.Unlock(context.WithoutCancel(ctx)), session.Close())
}

// Granted renews a lease by itself, also where it was not first.
func Granted(ctx context.Context, cli *clientv3.Client, job Job) (err error) {
	lease, err := cli.Grant(ctx, 20) // want: release
	if err != nil {
		return err
	}
	beats, err := cli.KeepAlive(ctx, lease.ID)
	if err != nil {
		return err
	}
	won, err := cli.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision("/granted"), "=", 0)).
		Then(clientv3.OpPut("/granted", "", clientv3.WithLease(lease.ID))).Commit() // verdict: unverified
	if err != nil {
		return err
	}
	if !won.Succeeded {
		return errBusy
	}
	held, stop := context.WithCancel(ctx)
	go func() {
		defer stop()
		for range beats {
		}
	}()
	err = job.Run(held)
	_, e := cli.Revoke(context.WithoutCancel(ctx), lease.ID)
	return errors.Join(err, e)
}

// Early defers the release of what it may never get.
func Early(ctx context.Context, session *concurrency.Session, job Job) error {
	mutex := concurrency.NewMutex(session, "/early")
	defer mutex.Unlock(context.WithoutCancel(ctx)) // want: release
	if err := mutex.Lock(ctx); err != nil {        // verdict: unverified
		return err
	}
	return job.Run(ctx)
}

// Refused frees the lock of the one who has it.
func Refused(ctx context.Context, rdb *redis.Client, id, owner string, job Job) error {
	key := "lock:refused:" + id
	ok, err := rdb.SetNX(ctx, key, owner, time.Minute).Result() // verdict: unverified
	if err != nil {
		return err
	}
	defer rdb.Del(context.WithoutCancel(ctx), key) // want: release
	if !ok {
		return errBusy
	}
	return job.Run(ctx)
}

// Late defers the end of the session until the lock is taken.
func Late(ctx context.Context, client *clientv3.Client, job Job) error {
	session, err := concurrency.NewSession(client, concurrency.WithContext(ctx)) // want: release
	if err != nil {
		return err
	}
	mutex := concurrency.NewMutex(session, "late")
	if err := mutex.TryLock(ctx); err != nil { // verdict: unverified
		return err
	}
	defer session.Close()
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return job.Run(ctx)
}
