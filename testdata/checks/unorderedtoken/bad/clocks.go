package bad

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Nanoseconds: two machines do not agree on the time.
func Nanoseconds(ctx context.Context, rdb *redis.Client, db *sql.DB, id, text string) (err error) {
	key, owner := "lock:doc_e:"+id, rand.Text()
	ok, err := rdb.SetNX(ctx, key, owner, 10*time.Second).Result() // verdict: unfenced
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, key, owner)) }()

	token := time.Now().UnixNano()
	const set = "UPDATE doc_e SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
	return one(db.ExecContext(ctx, set, id, text, token)) // want: unorderedtoken
}

// Sorted: version 7 of a UUID begins with the time of the machine that made it.
func Sorted(ctx context.Context, rdb *redis.Client, db *sql.DB, id, text string) (err error) {
	token, err := uuid.NewV7()
	if err != nil {
		return err
	}
	key := "lock:doc_f:" + id
	ok, err := rdb.SetNX(ctx, key, token.String(), 10*time.Second).Result() // verdict: unfenced
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, key, token.String())) }()

	const set = "UPDATE doc_f SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
	return one(db.ExecContext(ctx, set, id, text, token.String())) // want: unorderedtoken
}

var grants atomic.Int64

// InProcess: every replica counts for itself, and from one again after a restart.
func InProcess(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/doc_g/"+id)
	if err := mutex.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	const set = "UPDATE doc_g SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
	return one(db.ExecContext(ctx, set, id, text, grants.Add(1))) // want: unorderedtoken
	// doubt: tokenreset names the counter in memory as well; the design lists it under both
}
