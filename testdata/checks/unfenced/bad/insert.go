package bad

import (
	"context"
	"database/sql"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// AppendEntry: a number is allocated by MAX + 1 and inserted; no key refuses the second one.
func AppendEntry(ctx context.Context, session *concurrency.Session, db *sql.DB, book, text string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/book/"+book)
	if err := mutex.TryLock(ctx); err != nil { // verdict: unfenced
		if errors.Is(err, concurrency.ErrLocked) {
			return errBusy
		}
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	var last int64
	if err := db.QueryRowContext(ctx, "SELECT COALESCE(MAX(number), 0) FROM entry WHERE book = $1", book).Scan(&last); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "INSERT INTO entry (book, number, text) VALUES ($1, $2, $3)", book, last+1, text) // want: unfenced
	return err
}
