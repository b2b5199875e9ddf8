package pgxbatch

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func Answered(ctx context.Context, session *concurrency.Session, db *pgxpool.Pool, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	b := &pgx.Batch{}
	b.Queue("UPDATE doc SET body = $1, token = $2 WHERE id = 1 AND token < $2", body, token).Exec(func(tag pgconn.CommandTag) error {
		if tag.RowsAffected() == 0 {
			return errors.New("refused")
		}
		return nil
	})
	return db.SendBatch(ctx, b).Close()
}
