package bad

import (
	"context"
	"database/sql"
	"errors"
	"log"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Feed is implemented outside of this module.
type Feed interface {
	Drain(ctx context.Context, name string) error
}

// Feeds goes on to the next feed with the lock of the failed one: the session that
// would free it ends with the function.
func Feeds(ctx context.Context, cli *clientv3.Client, names []string, feed Feed) error {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(15))
	if err != nil {
		return err
	}
	defer session.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		<-session.Done()
		cancel()
	}()
	var failed error
	for _, name := range names {
		mutex := concurrency.NewMutex(session, "/feeds/"+name)
		if err := mutex.Lock(ctx); err != nil { // want: release // verdict: unverified
			return err
		}
		if err := feed.Drain(ctx, name); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if err := mutex.Unlock(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	return failed
}

// Numbers does so with the lock of a connection.
func Numbers(ctx context.Context, db *sql.DB, ids []int64, feed Feed) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	for _, id := range ids {
		if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // want: release // verdict: unverified
			return err
		}
		if err := feed.Drain(ctx, "row"); err != nil {
			log.Print(err)
			continue
		}
		if _, err := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id); err != nil {
			return err
		}
	}
	return nil
}
