package bad

import (
	"context"
	"database/sql"
	"errors"
	"log"

	"github.com/jackc/pgx/v5/pgxpool"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"gorm.io/gorm"
)

// doubt, for this file: the conditions themselves hold, so the write path could be called fenced; the verdict
// follows the rule that a fence whose rejection nobody sees is none.

// RowsDropped: the fence holds, but a stale writer goes on as if it had written.
func RowsDropped(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/rows")
	if err := mutex.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	const set = "UPDATE note SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
	if _, err := db.ExecContext(ctx, set, id, text, mutex.Header().Revision); err != nil { // want: weakcondition
		return err
	}
	log.Printf("note %s saved", id)
	return nil
}

// RowsBlank has the count in its hands and does not look at it.
func RowsBlank(ctx context.Context, session *concurrency.Session, pool *pgxpool.Pool, id, text string) error {
	return withToken(ctx, session, "/locks/blank", func(token int64) error { // verdict: unfenced
		const set = "UPDATE memo SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
		tag, err := pool.Exec(ctx, set, id, text, token) // want: weakcondition
		_ = tag
		return err
	})
}

// SucceededDropped: a Txn reports a failed comparison in its response only.
func SucceededDropped(ctx context.Context, session *concurrency.Session, key, value string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/succeeded")
	if err := mutex.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	_, err = session.Client().Txn(ctx).If(mutex.IsOwner()).Then(clientv3.OpPut(key, value)).Commit() // want: weakcondition
	return err
}

type Page struct {
	ID        uint
	Text      string
	LastToken int64
}

// GormError: gorm leaves Error nil where no row matched.
func GormError(ctx context.Context, session *concurrency.Session, db *gorm.DB, id uint, text string) error {
	return withToken(ctx, session, "/locks/page", func(token int64) error { // verdict: unfenced
		set := map[string]any{"text": text, "last_token": token}
		return db.WithContext(ctx).Model(&Page{}).Where("id = ? AND last_token < ?", id, token).Updates(set).Error // want: weakcondition
	})
}

// VersionDropped: a compare-and-swap whose loser does not notice.
func VersionDropped(ctx context.Context, session *concurrency.Session, db *sql.DB, id string) error {
	return withToken(ctx, session, "/locks/version", func(int64) error { // verdict: unfenced
		var hits, version int64
		if err := db.QueryRowContext(ctx, "SELECT hits, version FROM hit WHERE id = $1", id).Scan(&hits, &version); err != nil {
			return err
		}
		const set = "UPDATE hit SET hits = $3, version = version + 1 WHERE id = $1 AND version = $2"
		_, err := db.ExecContext(ctx, set, id, version, hits+1) // want: weakcondition
		return err
	})
}
