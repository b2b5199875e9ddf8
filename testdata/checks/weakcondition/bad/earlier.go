package bad

import (
	"context"
	"database/sql"
	"errors"

	"github.com/hashicorp/consul/api"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
)

// A Berth is a place in the harbour, and what lies there.
type Berth struct {
	ID      int64
	Tons    int64
	Version int64
}

// Moorings keeps berths, and looks for the version of one by its number.
type Moorings struct{ db *sql.DB }

func (m *Moorings) find(ctx context.Context, id int64) (*Berth, error) {
	b := new(Berth)
	err := m.db.QueryRowContext(ctx, "SELECT id, tons, version FROM berth WHERE id = $1", id).Scan(&b.ID, &b.Tons, &b.Version)
	return b, err
}

func (m *Moorings) store(ctx context.Context, b *Berth) error {
	var version int64
	if err := m.db.QueryRowContext(ctx, "SELECT version FROM berth WHERE id = $1", b.ID).Scan(&version); err != nil {
		return err
	}
	const set = "UPDATE berth SET tons = $1, version = version + 1 WHERE id = $2 AND version = $3"
	return one(m.db.ExecContext(ctx, set, b.Tons, b.ID, version)) // want: weakcondition
}

// Unload takes tons off a berth.
func (m *Moorings) Unload(ctx context.Context, session *concurrency.Session, id, tons int64) error {
	return withToken(ctx, session, "/berths", func(int64) error { // verdict: unfenced
		b, err := m.find(ctx, id)
		if err != nil {
			return err
		}
		b.Tons -= tons
		return m.store(ctx, b)
	})
}

// Retry asks only for the version again when somebody else was first.
func (m *Moorings) Retry(ctx context.Context, session *concurrency.Session, crane string) error {
	return withToken(ctx, session, "/cranes", func(int64) error { // verdict: unfenced
		var lifts, version int64
		if err := m.db.QueryRowContext(ctx, "SELECT lifts, version FROM crane WHERE name = $1", crane).Scan(&lifts, &version); err != nil {
			return err
		}
		lifts++
		for {
			const set = "UPDATE crane SET lifts = $1, version = version + 1 WHERE name = $2 AND version = $3"
			err := one(m.db.ExecContext(ctx, set, lifts, crane, version)) // want: weakcondition
			if !errors.Is(err, errStale) {
				return err
			}
			if err := m.db.QueryRowContext(ctx, "SELECT version FROM crane WHERE name = $1", crane).Scan(&version); err != nil {
				return err
			}
		}
	})
}

// Close decides by what it saw, and asks for the version when that is done.
func (m *Moorings) Close(ctx context.Context, session *concurrency.Session, quay string) error {
	return withToken(ctx, session, "/quays/"+quay, func(int64) error { // verdict: unfenced
		var ships int
		if err := m.db.QueryRowContext(ctx, "SELECT ships FROM quay WHERE name = $1", quay).Scan(&ships); err != nil {
			return err
		}
		if ships > 0 {
			return nil
		}
		var version int64
		if err := m.db.QueryRowContext(ctx, "SELECT version FROM quay WHERE name = $1", quay).Scan(&version); err != nil {
			return err
		}
		const set = "UPDATE quay SET open = false, version = version + 1 WHERE name = $1 AND version = $2"
		return one(m.db.ExecContext(ctx, set, quay, version)) // want: weakcondition
	})
}

// Before reads the log, and only then takes the lock.
func (m *Moorings) Before(ctx context.Context, session *concurrency.Session, pilot, line string) error {
	var text string
	if err := m.db.QueryRowContext(ctx, "SELECT text FROM logbook WHERE pilot = $1", pilot).Scan(&text); err != nil {
		return err
	}
	return withToken(ctx, session, "/logs/"+pilot, func(int64) error { // verdict: unfenced
		var version int64
		if err := m.db.QueryRowContext(ctx, "SELECT version FROM logbook WHERE pilot = $1", pilot).Scan(&version); err != nil {
			return err
		}
		const set = "UPDATE logbook SET text = $1, version = version + 1 WHERE pilot = $2 AND version = $3"
		return one(m.db.ExecContext(ctx, set, text+line, pilot, version)) // want: weakcondition
	})
}

// Grow counts up what it read before it tries, on an object that is read anew for each try.
func Grow(ctx context.Context, session *concurrency.Session, cs kubernetes.Interface, name string) error {
	return withToken(ctx, session, "/pools/"+name, func(int64) error { // verdict: unfenced
		sets := cs.AppsV1().StatefulSets("harbour")
		pool, err := sets.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		more := *pool.Spec.Replicas + 2
		return retry.RetryOnConflict(retry.DefaultRetry, func() error {
			now, err := sets.Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			now.Spec.Replicas = &more
			_, err = sets.Update(ctx, now, metav1.UpdateOptions{}) // want: weakcondition
			return err
		})
	})
}

// Passages watches the key after it has read the number that it counts up.
func Passages(ctx context.Context, session *concurrency.Session, rdb *redis.Client, gate string) error {
	return withToken(ctx, session, "/gates/"+gate, func(int64) error { // verdict: unfenced
		key := "passed:" + gate
		n, err := rdb.Get(ctx, key).Int64()
		if err != nil {
			return err
		}
		return rdb.Watch(ctx, func(tx *redis.Tx) error {
			if err := tx.Get(ctx, key).Err(); err != nil {
				return err
			}
			_, err := tx.TxPipelined(ctx, func(pipe redis.Pipeliner) error { // want: weakcondition
				pipe.Set(ctx, key, n+1, 0)
				return nil
			})
			return err
		}, key)
	})
}

// Index asks for the index of the lock when the text is read already.
func Index(ctx context.Context, kv *api.KV, db *sql.DB, session, id, more string) error {
	pair := &api.KVPair{Key: "locks/notes/" + id, Session: session}
	ok, _, err := kv.Acquire(pair, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	if !ok {
		return errStale
	}
	defer kv.Release(pair, nil)
	var text string
	if err := db.QueryRowContext(ctx, "SELECT text FROM note WHERE id = $1", id).Scan(&text); err != nil {
		return err
	}
	held, _, err := kv.Get(pair.Key, nil)
	if err != nil {
		return err
	}
	const set = "UPDATE note SET text = $1, fence = $2 WHERE id = $3 AND fence <= $2"
	return one(db.ExecContext(ctx, set, text+more, int64(held.LockIndex), id)) // want: weakcondition
}

// Reign asks who leads, and lets whoever that is write.
func Reign(ctx context.Context, session *concurrency.Session, me, plan string) (err error) {
	election := concurrency.NewElection(session, "/chart")
	if err := election.Campaign(ctx, me); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, election.Resign(context.WithoutCancel(ctx))) }()
	now, err := election.Leader(ctx)
	if err != nil {
		return err
	}
	leads := clientv3.Compare(clientv3.CreateRevision(string(now.Kvs[0].Key)), "=", now.Kvs[0].CreateRevision)
	resp, err := session.Client().Txn(ctx).If(leads).Then(clientv3.OpPut("/chart/plan", plan)).Commit() // want: weakcondition
	if err == nil && !resp.Succeeded {
		err = errStale
	}
	return err
}

// A Printer draws a number for its first job, and keeps it for those that follow.
type Printer struct {
	rdb    *redis.Client
	db     *sql.DB
	number int64
}

// Print prints a page under the lock.
func (p *Printer) Print(ctx context.Context, session *concurrency.Session, page string) error {
	return withToken(ctx, session, "/printer", func(int64) (err error) { // verdict: unfenced
		if p.number == 0 {
			if p.number, err = p.rdb.Incr(ctx, "printer:jobs").Result(); err != nil {
				return err
			}
		}
		const set = "UPDATE printer SET page = $1, job = $2 WHERE job <= $2"
		return one(p.db.ExecContext(ctx, set, page, p.number)) // want: weakcondition
	})
}

// Number hands out the next number of a map that is read anew for each try.
func Number(ctx context.Context, session *concurrency.Session, cs kubernetes.Interface) error {
	return withToken(ctx, session, "/tickets", func(int64) error { // verdict: unfenced
		maps := cs.CoreV1().ConfigMaps("harbour")
		seen, err := maps.Get(ctx, "tickets", metav1.GetOptions{})
		if err != nil {
			return err
		}
		next := seen.Data["next"] + "I"
		return retry.RetryOnConflict(retry.DefaultRetry, func() error {
			now, err := maps.Get(ctx, "tickets", metav1.GetOptions{})
			if err != nil {
				return err
			}
			now.Data["next"] = next
			_, err = maps.Update(ctx, now, metav1.UpdateOptions{}) // want: weakcondition
			return err
		})
	})
}
