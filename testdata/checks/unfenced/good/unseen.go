package good

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Sink is implemented outside of this module.
type Sink interface {
	Save(ctx context.Context, record string) error
}

// Flush: what Save does cannot be seen (interface).
func Flush(ctx context.Context, locks *redislock.Client, sink Sink, record string) (err error) {
	lock, err := locks.Obtain(ctx, "lock:flush", 10*time.Second, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	return sink.Save(ctx, record)
}

// Send: the token leaves in a header; whether the server compares it cannot be seen (rpc).
func Send(ctx context.Context, session *concurrency.Session, client *http.Client, url string, body []byte) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/send")
	if err := mutex.Lock(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Fencing-Token", strconv.FormatInt(mutex.Header().Revision, 10))
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusPreconditionFailed:
		return errStale
	case resp.StatusCode >= 300:
		return fmt.Errorf("send: %s", resp.Status)
	}
	return nil
}

// Call: the procedure gets the token; its body is in the database (stored-procedure).
func Call(ctx context.Context, session *concurrency.Session, db *sql.DB, id int64, text string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/call")
	if err := mutex.Lock(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	var accepted bool
	if err := db.QueryRowContext(ctx, "SELECT save_text($1, $2, $3)", id, text, mutex.Header().Revision).Scan(&accepted); err != nil {
		return err
	}
	if !accepted {
		return errStale
	}
	return nil
}

// Apply: the text of the statement comes from the caller (dynamic-sql).
func Apply(ctx context.Context, session *concurrency.Session, db *sql.DB, statement string, args ...any) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/apply")
	if err := mutex.Lock(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	return one(db.ExecContext(ctx, statement, append(args, mutex.Header().Revision)...))
}

// Eval: the script is known by its hash only (script-by-sha).
func Eval(ctx context.Context, session *concurrency.Session, rdb *redis.Client, sha, key, value string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/eval")
	if err := mutex.Lock(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	n, err := rdb.EvalSha(ctx, sha, []string{key}, value, mutex.Header().Revision).Int()
	if err == nil && n == 0 {
		err = errStale
	}
	return err
}

// Count only reads.
func Count(ctx context.Context, locks *redislock.Client, db *sql.DB) (n int, err error) {
	lock, err := locks.Obtain(ctx, "lock:count", 5*time.Second, nil) // verdict: no-visible-write
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM person").Scan(&n)
	return n, err
}

// Warm: whoever loses leaves the work to the winner, and the work is a cache entry. Only the inventory says
// that it is unfenced.
func Warm(ctx context.Context, locks *redislock.Client, db *sql.DB, rdb *redis.Client) (err error) {
	lock, err := locks.Obtain(ctx, "lock:cache:headline", 5*time.Second, nil) // verdict: unfenced
	if errors.Is(err, redislock.ErrNotObtained) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	var text string
	if err := db.QueryRowContext(ctx, "SELECT text FROM headline ORDER BY id DESC LIMIT 1").Scan(&text); err != nil {
		return err
	}
	return rdb.Set(ctx, "cache:headline", text, time.Minute).Err() // note: unfenced
}

// A Step is part of a job.
type Step interface {
	Run(ctx context.Context) error
}

// Exclusive runs another step under a lock. It is the only step in view, but not what it runs (interface).
type Exclusive struct {
	next  Step
	locks *redislock.Client
}

var _ Step = (*Exclusive)(nil)

func (x *Exclusive) Run(ctx context.Context) (err error) {
	lock, err := x.locks.Obtain(ctx, "lock:step", 10*time.Second, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	return x.next.Run(ctx)
}
