package bad

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.etcd.io/etcd/client/v3/concurrency"
)

const refill = "UPDATE jar SET full = true, token = $2 WHERE name = $1 AND token < $2"

// refilled is refused to whoever comes late.
func refilled(ctx context.Context, tx *sql.Tx, jar string, token int64) error {
	res, err := tx.ExecContext(ctx, refill, jar, token)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errLost, err)
	}
	return nil
}

// Jars are filled under a mutex.
type Jars struct {
	db   *sql.DB
	pool *pgxpool.Pool
}

func (j *Jars) held(ctx context.Context, session *concurrency.Session, jar string, fn func(token int64) error) (err error) {
	mutex := concurrency.NewMutex(session, "/jars/"+jar)
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	return fn(mutex.Header().Revision)
}

// Stir asks on some ways only.
func (j *Jars) Stir(ctx context.Context, session *concurrency.Session, jar string, full bool) error {
	return j.held(ctx, session, jar, func(token int64) error { // verdict: unfenced
		tx, err := j.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		if _, err := tx.ExecContext(ctx, "INSERT INTO stirring (jar) VALUES ($1)", jar); err != nil { // want: unfenced
			return err
		}
		if full {
			if err := refilled(ctx, tx, jar, token); err != nil {
				return err
			}
		}
		return tx.Commit()
	})
}

// Shake asks on some ways only, in a transaction of the library.
func (j *Jars) Shake(ctx context.Context, session *concurrency.Session, jar string, full bool) error {
	return j.held(ctx, session, jar, func(token int64) error { // verdict: unfenced
		return pgx.BeginFunc(ctx, j.pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "INSERT INTO shaking (jar) VALUES ($1)", jar); err != nil { // want: unfenced
				return err
			}
			if !full {
				return nil
			}
			tag, err := tx.Exec(ctx, refill, jar, token)
			if err == nil && tag.RowsAffected() == 0 {
				err = errLost
			}
			return err
		})
	})
}

// Open commits before it asks.
func (j *Jars) Open(ctx context.Context, session *concurrency.Session, u Unit, jar string) error {
	return j.held(ctx, session, jar, func(token int64) error { // verdict: unfenced
		err := u.In(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO opening (jar) VALUES ($1)", jar) // want: unfenced
			return err
		})
		if err != nil {
			return err
		}
		return u.In(ctx, func(tx *sql.Tx) error { return refilled(ctx, tx, jar, token) })
	})
}
