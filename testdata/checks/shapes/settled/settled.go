// Package settled writes several rows in one transaction, of which one asks for the token: what it
// refuses is rolled back as a whole.
package settled

import (
	"context"
	"database/sql"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

var errStale = errors.New("a later holder was here")

// A Mill grinds under a mutex.
type Mill struct {
	db      *sql.DB
	session *concurrency.Session
	cli     *clientv3.Client
}

func (m *Mill) hold(ctx context.Context) (int64, func(), error) {
	mutex := concurrency.NewMutex(m.session, "/mill")
	if err := mutex.Lock(ctx); err != nil {
		return 0, nil, err
	}
	return mutex.Header().Revision, func() { mutex.Unlock(context.WithoutCancel(ctx)) }, nil
}

// Grind ends its transaction by the error that it returns.
func (m *Mill) Grind(ctx context.Context, sack int64) (err error) {
	token, free, err := m.hold(ctx) // verdict: fenced
	if err != nil {
		return err
	}
	defer free()
	tx, err := m.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			tx.Rollback()
			return
		}
		err = tx.Commit()
	}()
	if _, err = tx.ExecContext(ctx, "INSERT INTO outbox (topic, sack) VALUES ('ground', $1)", sack); err != nil {
		return err
	}
	res, err := tx.ExecContext(ctx, "UPDATE sacks SET ground = true, turn = $2 WHERE id = $1 AND turn < $2", sack, token)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err != nil {
		return err
	}
	if n == 0 {
		return errStale
	}
	return nil
}

// Sift does so by a function that ends transactions.
func (m *Mill) Sift(ctx context.Context, sack int64) (err error) {
	token, free, err := m.hold(ctx) // verdict: fenced
	if err != nil {
		return err
	}
	defer free()
	tx, err := m.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer end(tx, &err)
	if _, err = tx.ExecContext(ctx, "INSERT INTO outbox (topic, sack) VALUES ('sifted', $1)", sack); err != nil {
		return err
	}
	res, err := tx.ExecContext(ctx, "UPDATE sacks SET sifted = true, turn = $2 WHERE id = $1 AND turn < $2", sack, token)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errStale)
	}
	return nil
}

func end(tx *sql.Tx, err *error) {
	if *err != nil {
		tx.Rollback()
		return
	}
	*err = tx.Commit()
}

// Pack commits whatever was refused.
func (m *Mill) Pack(ctx context.Context, sack int64) (err error) {
	token, free, err := m.hold(ctx) // verdict: unfenced
	if err != nil {
		return err
	}
	defer free()
	tx, err := m.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tx.Commit()) }()
	if _, err = tx.ExecContext(ctx, "INSERT INTO outbox (topic, sack) VALUES ('packed', $1)", sack); err != nil { // want: unfenced
		return err
	}
	res, err := tx.ExecContext(ctx, "UPDATE sacks SET packed = true, turn = $2 WHERE id = $1 AND turn < $2", sack, token)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errStale)
	}
	return nil
}

// Weigh asks for the token only where there is something to weigh.
func (m *Mill) Weigh(ctx context.Context, sack, grams int64) (err error) {
	token, free, err := m.hold(ctx) // verdict: unfenced
	if err != nil {
		return err
	}
	defer free()
	tx, err := m.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer end(tx, &err)
	if _, err = tx.ExecContext(ctx, "INSERT INTO outbox (topic, sack) VALUES ('weighed', $1)", sack); err != nil { // want: unfenced
		return err
	}
	if grams > 0 {
		res, err := tx.ExecContext(ctx, "UPDATE sacks SET grams = $3, turn = $2 WHERE id = $1 AND turn < $2", sack, token, grams)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, errStale)
		}
	}
	return nil
}

// Sweep forgets to tell that it was refused.
func (m *Mill) Sweep(ctx context.Context, sack int64) (err error) {
	token, free, err := m.hold(ctx) // verdict: unfenced
	if err != nil {
		return err
	}
	defer free()
	tx, err := m.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer end(tx, &err)
	if _, err = tx.ExecContext(ctx, "INSERT INTO outbox (topic, sack) VALUES ('swept', $1)", sack); err != nil { // want: unfenced
		return err
	}
	res, err := tx.ExecContext(ctx, "UPDATE sacks SET swept = true, turn = $2 WHERE id = $1 AND turn < $2", sack, token) // want: weakcondition
	if err != nil {
		return err
	}
	if n, _ := res.RowsAffected(); n == 0 {
		return nil
	}
	return nil
}
