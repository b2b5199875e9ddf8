package bad

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/binary"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// LockToken: redislock calls its random owner value a token.
func LockToken(ctx context.Context, locks *redislock.Client, db *sql.DB, id, text string) (err error) {
	lock, err := locks.Obtain(ctx, "lock:doc_a:"+id, 10*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	const set = "UPDATE doc_a SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
	return one(db.ExecContext(ctx, set, id, text, lock.Token())) // want: unorderedtoken
}

// MutexValue: the value of a redsync mutex is random, too.
func MutexValue(ctx context.Context, rs *redsync.Redsync, db *sql.DB, id, text string) (err error) {
	mutex := rs.NewMutex("lock:doc_b:" + id)
	if err := mutex.LockContext(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() {
		ok, e := mutex.UnlockContext(context.WithoutCancel(ctx))
		if e == nil && !ok {
			e = errLost
		}
		err = errors.Join(err, e)
	}()

	const set = "UPDATE doc_b SET text = ?, last_token = ? WHERE id = ? AND last_token <= ?"
	return one(db.ExecContext(ctx, set, text, mutex.Value(), id, mutex.Value())) // want: unorderedtoken
}

// UUID: the id that owns the key is compared as if it were a number of order.
func UUID(ctx context.Context, rdb *redis.Client, db *sql.DB, id, text string) (err error) {
	key, owner := "lock:doc_c:"+id, uuid.NewString()
	ok, err := rdb.SetNX(ctx, key, owner, 10*time.Second).Result() // verdict: unfenced
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, key, owner)) }()

	const set = "UPDATE doc_c SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
	return one(db.ExecContext(ctx, set, id, text, owner)) // want: unorderedtoken
}

var tokenScript = redis.NewScript(`
if tonumber(ARGV[2]) < tonumber(redis.call("HGET", KEYS[1], "token") or "0") then
	return 0
end
redis.call("HSET", KEYS[1], "text", ARGV[1], "token", ARGV[2])
return 1`)

// RandomNumber: eight random bytes, compared in a script.
func RandomNumber(ctx context.Context, rdb *redis.Client, id, text string) (err error) {
	key, owner := "lock:doc_d:"+id, rand.Text()
	ok, err := rdb.SetNX(ctx, key, owner, 10*time.Second).Result() // verdict: unfenced
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, key, owner)) }()

	var b [8]byte
	_, _ = rand.Read(b[:])
	token := binary.BigEndian.Uint64(b[:]) >> 11
	n, err := tokenScript.Run(ctx, rdb, []string{"doc_d:" + id}, text, token).Int() // want: unorderedtoken
	if err == nil && n == 0 {
		err = errStale
	}
	return err
}
