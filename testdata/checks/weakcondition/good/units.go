package good

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// A Unit is what is done together.
type Unit struct{ db *sql.DB }

// In begins, works and commits.
func (u Unit) In(ctx context.Context, work func(tx *sql.Tx) error) error {
	tx, err := u.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := work(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func stampRoute(ctx context.Context, tx *sql.Tx, route string, turn int64) error {
	res, err := tx.ExecContext(ctx, "UPDATE route SET planned = true, turn = $2 WHERE id = $1 AND turn < $2", route, turn)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errStale, err)
	}
	return nil
}

func addStops(ctx context.Context, tx *sql.Tx, route string, stops []byte) error {
	const add = "INSERT INTO stop (route, place) SELECT $1, place FROM jsonb_to_recordset($2) AS s(place text)"
	_, err := tx.ExecContext(ctx, add, route, stops)
	return err
}

// PlanRoute writes in the transaction in which a stale one is refused.
func PlanRoute(ctx context.Context, session *concurrency.Session, u Unit, route string, stops []string) error {
	return withToken(ctx, session, "/routes/"+route, func(token int64) error { // verdict: fenced
		doc, err := json.Marshal(stops)
		if err != nil {
			return err
		}
		return u.In(ctx, func(tx *sql.Tx) error {
			if err := stampRoute(ctx, tx, route, token); err != nil {
				return err
			}
			return addStops(ctx, tx, route, doc)
		})
	})
}

// Mend locks the row, looks at it and writes it in one transaction, and notes that in
// another one, by a statement with a condition of its own.
func (u Unit) Mend(ctx context.Context, session *concurrency.Session, route string) error {
	return withToken(ctx, session, "/routes/"+route, func(token int64) error { // verdict: fenced
		err := u.In(ctx, func(tx *sql.Tx) error {
			var seen int64
			if err := tx.QueryRowContext(ctx, "SELECT turn FROM route WHERE id = $1 FOR UPDATE", route).Scan(&seen); err != nil {
				return err
			}
			if seen > token {
				return errStale
			}
			_, err := tx.ExecContext(ctx, "UPDATE route SET mended = true, turn = $2 WHERE id = $1", route, token)
			return err
		})
		if err != nil {
			return err
		}
		return u.In(ctx, func(tx *sql.Tx) error { return stampRoute(ctx, tx, route, token) })
	})
}
