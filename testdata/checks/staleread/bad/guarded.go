package bad

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Basket loads what is in it before it waits. The token is newer than what it read.
func Basket(ctx context.Context, etcd *clientv3.Client, db *sql.DB, id, item string) (err error) {
	items, err := load(ctx, db, id)
	if err != nil {
		return err
	}
	session, err := concurrency.NewSession(etcd, concurrency.WithTTL(10))
	if err != nil {
		return err
	}
	defer session.Close()
	mu := concurrency.NewMutex(session, "/basket/"+id)
	if err := mu.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mu.Unlock(context.WithoutCancel(ctx))) }()
	body, err := json.Marshal(append(items, item))
	if err != nil {
		return err
	}
	return save(ctx, db, id, body, mu.Header().Revision)
}

func load(ctx context.Context, db *sql.DB, id string) (items []string, err error) {
	var body []byte
	if err := db.QueryRowContext(ctx, "SELECT body FROM basket WHERE id = $1", id).Scan(&body); err != nil {
		return nil, err
	}
	err = json.Unmarshal(body, &items)
	return items, err
}

func save(ctx context.Context, db *sql.DB, id string, body []byte, revision int64) error {
	res, err := db.ExecContext(ctx, "UPDATE basket SET body = $2, fence = $3 WHERE id = $1 AND fence < $3", id, body, revision) // want: staleread
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errors.New("a newer one"), err)
	}
	return nil
}

// Session writes on the session that owns the lock.
func Session(ctx context.Context, db *sql.DB, id int64) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var n int
	if err := conn.QueryRowContext(ctx, "SELECT n FROM meter WHERE id = $1", id).Scan(&n); err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // verdict: fenced
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id)
	_, err = conn.ExecContext(ctx, "UPDATE meter SET n = $2 WHERE id = $1", id, n+1) // want: staleread
	return err
}
