package bad

import (
	"context"
	"database/sql"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// SetOwner: the token is written into the row, and no statement ever compares it.
func SetOwner(ctx context.Context, session *concurrency.Session, db *sql.DB, asset, owner string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/asset/"+asset)
	if err := mutex.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	const set = "UPDATE asset SET owner = $2, last_token = $3 WHERE id = $1"
	_, err = db.ExecContext(ctx, set, asset, owner, mutex.Header().Revision) // want: unfenced
	return err
}
