package good

import (
	"context"
	"database/sql"
	"errors"

	"github.com/hashicorp/consul/api"
	"github.com/redis/go-redis/v9"
	"go.etcd.io/etcd/client/v3/concurrency"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
)

// Retry reads all of it again when somebody else was first.
func Retry(ctx context.Context, session *concurrency.Session, db *sql.DB, crane string) error {
	return withToken(ctx, session, "/cranes", func(int64) error { // verdict: fenced
		for {
			var lifts, version int64
			if err := db.QueryRowContext(ctx, "SELECT lifts, version FROM crane WHERE name = $1", crane).Scan(&lifts, &version); err != nil {
				return err
			}
			const set = "UPDATE crane SET lifts = $1, version = version + 1 WHERE name = $2 AND version = $3"
			if err := one(db.ExecContext(ctx, set, lifts+1, crane, version)); !errors.Is(err, errStale) {
				return err
			}
		}
	})
}

// Charge reads what a ton costs first: the bill is worked out of the berth that it is written for.
func Charge(ctx context.Context, session *concurrency.Session, db *sql.DB, id int64) error {
	return withToken(ctx, session, "/berths", func(int64) error { // verdict: fenced
		var cents, tons, version int64
		if err := db.QueryRowContext(ctx, "SELECT cents FROM tariff WHERE name = 'ton'").Scan(&cents); err != nil {
			return err
		}
		if err := db.QueryRowContext(ctx, "SELECT tons, version FROM berth WHERE id = $1", id).Scan(&tons, &version); err != nil {
			return err
		}
		const set = "UPDATE berth SET bill = $1, version = version + 1 WHERE id = $2 AND version = $3"
		return one(db.ExecContext(ctx, set, cents*tons, id, version))
	})
}

// Total stores a sum that was made before: whether it is still right is out of sight.
func Total(ctx context.Context, session *concurrency.Session, db *sql.DB, id int64) error {
	return withToken(ctx, session, "/totals", func(int64) error { // verdict: unverified
		var sum, version int64
		if err := db.QueryRowContext(ctx, "SELECT SUM(cents) FROM entry WHERE berth = $1", id).Scan(&sum); err != nil {
			return err
		}
		if err := db.QueryRowContext(ctx, "SELECT version FROM total WHERE berth = $1", id).Scan(&version); err != nil {
			return err
		}
		const set = "UPDATE total SET cents = $1, version = version + 1 WHERE berth = $2 AND version = $3"
		return one(db.ExecContext(ctx, set, sum, id, version))
	})
}

// Grow counts up what each try reads.
func Grow(ctx context.Context, session *concurrency.Session, cs kubernetes.Interface, name string) error {
	return withToken(ctx, session, "/pools/"+name, func(int64) error { // verdict: fenced
		sets := cs.AppsV1().StatefulSets("harbour")
		return retry.RetryOnConflict(retry.DefaultRetry, func() error {
			now, err := sets.Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			more := *now.Spec.Replicas + 2
			now.Spec.Replicas = &more
			_, err = sets.Update(ctx, now, metav1.UpdateOptions{})
			return err
		})
	})
}

// Passages counts up what it reads once the key is watched.
func Passages(ctx context.Context, session *concurrency.Session, rdb *redis.Client, gate string) error {
	return withToken(ctx, session, "/gates/"+gate, func(int64) error { // verdict: fenced
		key := "passed:" + gate
		return rdb.Watch(ctx, func(tx *redis.Tx) error {
			n, err := tx.Get(ctx, key).Int64()
			if err != nil {
				return err
			}
			_, err = tx.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
				pipe.Set(ctx, key, n+1, 0)
				return nil
			})
			return err
		}, key)
	})
}

// Index asks for the index of the lock before anything else.
func Index(ctx context.Context, kv *api.KV, db *sql.DB, session, id, more string) error {
	pair := &api.KVPair{Key: "locks/notes/" + id, Session: session}
	ok, _, err := kv.Acquire(pair, nil) // verdict: fenced
	if err != nil {
		return err
	}
	if !ok {
		return errStale
	}
	defer kv.Release(pair, nil)
	held, _, err := kv.Get(pair.Key, nil)
	if err != nil {
		return err
	}
	var text string
	if err := db.QueryRowContext(ctx, "SELECT text FROM note WHERE id = $1", id).Scan(&text); err != nil {
		return err
	}
	const set = "UPDATE note SET text = $1, fence = $2 WHERE id = $3 AND fence <= $2"
	return one(db.ExecContext(ctx, set, text+more, int64(held.LockIndex), id))
}
