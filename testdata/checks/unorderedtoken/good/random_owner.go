package good

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/google/uuid"
	"go.etcd.io/etcd/client/v3/concurrency"
)

const (
	claim  = "UPDATE task SET worker = $2, until = now() + interval '1 minute' WHERE id = $1 AND (worker IS NULL OR until < now())"
	finish = "UPDATE task SET result = $3, worker = NULL WHERE id = $1 AND worker = $2"
)

// Task: equality with the row's present owner needs no order.
func Task(ctx context.Context, db *sql.DB, id int64, result string) error {
	me := uuid.NewString()
	if err := one(db.ExecContext(ctx, claim, id, me)); err != nil { // verdict: fenced
		return err
	}
	return one(db.ExecContext(ctx, finish, id, me, result))
}

// Logged: the random value and the time are written down beside a proper token.
func Logged(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/logged/"+id)
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	change := uuid.New()
	log.Printf("change %s under lease %x", change, session.Lease())
	const set = "UPDATE logged SET text = $2, change = $4, changed_at = $5, last_token = $3 WHERE id = $1 AND last_token < $3"
	return one(db.ExecContext(ctx, set, id, text, mutex.Header().Revision, change, time.Now().UTC()))
}

// Reader: the value of the mutex is printed, and nothing is written.
func Reader(ctx context.Context, rs *redsync.Redsync, db *sql.DB) (n int, err error) {
	mutex := rs.NewMutex("lock:reader")
	if err := mutex.LockContext(ctx); err != nil { // verdict: no-visible-write
		return 0, err
	}
	defer func() {
		ok, e := mutex.UnlockContext(context.WithoutCancel(ctx))
		if e == nil && !ok {
			e = errLost
		}
		err = errors.Join(err, e)
	}()
	log.Printf("reading as %s", mutex.Value())
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM task").Scan(&n)
	return n, err
}
