package bad

import (
	"context"
	"database/sql"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// label carries the token as far as save, which does not pass it on.
type label struct {
	item  string
	text  string
	token int64
}

func Relabel(ctx context.Context, session *concurrency.Session, db *sql.DB, item, text string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/item/"+item)
	if err := mutex.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	return saveLabel(ctx, db, label{item: item, text: text, token: mutex.Header().Revision})
}

func saveLabel(ctx context.Context, db *sql.DB, l label) error {
	_, err := db.ExecContext(ctx, "UPDATE item SET label = $2 WHERE id = $1", l.item, l.text) // want: unfenced
	return err
}
