package bad

import (
	"context"
	"database/sql"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// lead runs work as the leader that has told its name to everybody, with the number of what
// it heard last.
func lead(ctx context.Context, sess *concurrency.Session, name string, work func(ctx context.Context, term int64) error) (err error) {
	e := concurrency.NewElection(sess, "/choir")
	if err := e.Campaign(ctx, name); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Resign(context.WithoutCancel(ctx))) }()
	if err := e.Proclaim(ctx, name+", conductor"); err != nil {
		return err
	}
	return work(ctx, e.Header().Revision)
}

// Conduct writes the programme down.
func Conduct(ctx context.Context, sess *concurrency.Session, db *sql.DB, name string, piece int64) error {
	return lead(ctx, sess, name, func(ctx context.Context, term int64) error { // verdict: unfenced
		res, err := db.ExecContext(ctx, "UPDATE programme SET piece = $1, term = $2 WHERE hall = 'main' AND term < $2", piece, term) // want: unorderedtoken
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(errors.New("another one conducts"), err)
		}
		return nil
	})
}
