package good

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-zookeeper/zk"
	"github.com/hashicorp/consul/api"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// MutexRevision is the token of an etcd mutex.
func MutexRevision(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/doc_a/"+id)
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	const set = "UPDATE doc_a SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
	return one(db.ExecContext(ctx, set, id, text, mutex.Header().Revision))
}

// ElectionRevision is the token of an etcd election.
func ElectionRevision(ctx context.Context, session *concurrency.Session, db *sql.DB, me, id, text string) (err error) {
	election := concurrency.NewElection(session, "/election/doc_b")
	if err := election.Campaign(ctx, me); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, election.Resign(context.WithoutCancel(ctx))) }()

	const set = "UPDATE doc_b SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
	return one(db.ExecContext(ctx, set, id, text, election.Rev()))
}

// RawTxn takes the lock with a transaction of its own and uses the revision of its header.
func RawTxn(ctx context.Context, cli *clientv3.Client, db *sql.DB, id, text string) (err error) {
	lease, err := cli.Grant(ctx, 15)
	if err != nil {
		return err
	}
	key := "/locks/doc_c/" + id
	free := clientv3.Compare(clientv3.CreateRevision(key), "=", 0)
	resp, err := cli.Txn(ctx).If(free).Then(clientv3.OpPut(key, "", clientv3.WithLease(lease.ID))).Commit() // verdict: fenced
	defer func() {
		_, e := cli.Revoke(context.WithoutCancel(ctx), lease.ID)
		err = errors.Join(err, e)
	}()
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errBusy
	}
	const set = "UPDATE doc_c SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
	return one(db.ExecContext(ctx, set, id, text, resp.Header.Revision))
}

// Counter: an INCR without an expiry counts the grants; the random value only owns the key.
func Counter(ctx context.Context, rdb *redis.Client, db *sql.DB, id, text string) (err error) {
	key, owner := "lock:doc_d:"+id, rand.Text()
	ok, err := rdb.SetNX(ctx, key, owner, 10*time.Second).Result() // verdict: fenced
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, key, owner)) }()

	token, err := rdb.Incr(ctx, "fence:doc_d:"+id).Result()
	if err != nil {
		return err
	}
	const set = "UPDATE doc_d SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
	return one(db.ExecContext(ctx, set, id, text, token))
}

// Sequence: the lease comes from Redis, the token from a sequence of the database.
func Sequence(ctx context.Context, locks *redislock.Client, db *sql.DB, id, text string) (err error) {
	lock, err := locks.Obtain(ctx, "lock:doc_e:"+id, 10*time.Second, nil) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	var token int64
	if err := db.QueryRowContext(ctx, "SELECT nextval('doc_e_token')").Scan(&token); err != nil {
		return err
	}
	const set = "UPDATE doc_e SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
	return one(db.ExecContext(ctx, set, id, text, token))
}

const takeRow = `UPDATE lock_row SET token = token + 1, until = now() + interval '20 seconds'
WHERE name = $1 AND until < now() RETURNING token`

// Row: the statement that takes the lock also counts the grant.
func Row(ctx context.Context, db *sql.DB, id, text string) error {
	var token int64
	err := db.QueryRowContext(ctx, takeRow, "doc_f").Scan(&token) // verdict: fenced
	if errors.Is(err, sql.ErrNoRows) {
		return errBusy
	}
	if err != nil {
		return err
	}
	const set = "UPDATE doc_f SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
	return one(db.ExecContext(ctx, set, id, text, token))
}

// ModifyIndex of the lock's key is read after the acquire, and its session is compared with our own.
func ModifyIndex(ctx context.Context, client *api.Client, session string, db *sql.DB, id, text string) (err error) {
	kv, opts := client.KV(), (&api.WriteOptions{}).WithContext(ctx)
	pair := &api.KVPair{Key: "locks/doc_g/" + id, Session: session}
	ok, _, err := kv.Acquire(pair, opts) // verdict: fenced
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() {
		ok, _, e := kv.Release(pair, opts.WithContext(context.WithoutCancel(ctx)))
		if e == nil && !ok {
			e = errLost
		}
		err = errors.Join(err, e)
	}()

	held, _, err := kv.Get(pair.Key, (&api.QueryOptions{RequireConsistent: true}).WithContext(ctx))
	if err != nil {
		return err
	}
	if held == nil || held.Session != session {
		return errLost
	}
	const set = "UPDATE doc_g SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
	return one(db.ExecContext(ctx, set, id, text, int64(held.ModifyIndex)))
}

// Czxid: an ephemeral node whose creation has a transaction id of the whole ensemble.
func Czxid(ctx context.Context, conn *zk.Conn, db *sql.DB, id, text string) (err error) {
	node := "/locks/doc_h-" + id
	_, err = conn.Create(node, nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll)) // verdict: fenced
	if errors.Is(err, zk.ErrNodeExists) {
		return errBusy
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Delete(node, -1)) }()

	_, stat, err := conn.Exists(node)
	if err != nil {
		return err
	}
	const set = "UPDATE doc_h SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
	return one(db.ExecContext(ctx, set, id, text, stat.Czxid))
	// doubt: the node that Exists finds may be a successor's; a strict reader compares stat.EphemeralOwner
}
