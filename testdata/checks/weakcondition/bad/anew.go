package bad

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Bells rings as the elected one, and takes for its number what the store is at by then.
func Bells(ctx context.Context, session *concurrency.Session, db *sql.DB) (err error) {
	election := concurrency.NewElection(session, "/ringer")
	if err := election.Campaign(ctx, "me"); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, election.Resign(context.WithoutCancel(ctx))) }()
	for {
		select {
		case <-session.Done():
			return errStale
		case <-time.After(time.Minute):
			if err := ring(ctx, session.Client(), db); err != nil {
				return err
			}
		}
	}
}

func ring(ctx context.Context, kv clientv3.KV, db *sql.DB) error {
	hours, err := kv.Get(ctx, "/hours", clientv3.WithPrefix())
	if err != nil {
		return err
	}
	const set = "UPDATE bell SET rings = $1, turn = $2 WHERE turn < $2"
	return one(db.ExecContext(ctx, set, len(hours.Kvs), hours.Header.Revision)) // want: weakcondition
}

// Mill draws a number for each sack.
func Mill(ctx context.Context, session *concurrency.Session, rdb *redis.Client, db *sql.DB, sacks []string) error {
	return withToken(ctx, session, "/mill", func(int64) error { // verdict: unfenced
		for _, sack := range sacks {
			n, err := rdb.Incr(ctx, "mill:number").Result()
			if err != nil {
				return err
			}
			const set = "UPDATE sack SET ground = true, fence = $2 WHERE id = $1 AND fence < $2"
			if err := one(db.ExecContext(ctx, set, sack, n)); err != nil { // want: weakcondition
				return err
			}
		}
		return nil
	})
}

// Seal asks only that there is something under the key that it writes.
func Seal(ctx context.Context, session *concurrency.Session, letter, wax string) error {
	return withToken(ctx, session, "/letters/"+letter, func(int64) error { // verdict: unfenced
		key := "/seals/" + letter
		there := clientv3.Compare(clientv3.CreateRevision(key), ">", 0)
		resp, err := session.Client().Txn(ctx).If(there).Then(clientv3.OpPut(key, wax)).Commit() // want: weakcondition
		if err == nil && !resp.Succeeded {
			err = errStale
		}
		return err
	})
}
