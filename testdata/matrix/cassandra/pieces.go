package cassandra

import (
	"context"

	"github.com/gocql/gocql"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: unknown
func Timed(ctx context.Context, session *concurrency.Session, db *gocql.Session, body, text string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return db.Query("UPDATE doc USING TIMESTAMP ? SET body = ? WHERE id = 1", token, body).WithContext(ctx).Exec()
}
