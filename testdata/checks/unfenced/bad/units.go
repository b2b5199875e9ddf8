package bad

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
	"gorm.io/gorm"
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
		return errors.Join(errLost, err)
	}
	return nil
}

func addStops(ctx context.Context, tx *sql.Tx, route string, stops []byte) error {
	const add = "INSERT INTO stop (route, place) SELECT $1, place FROM jsonb_to_recordset($2) AS s(place text)"
	_, err := tx.ExecContext(ctx, add, route, stops) // want: unfenced
	return err
}

// PlanRoute is refused in one transaction, and writes in the next one.
func PlanRoute(ctx context.Context, session *concurrency.Session, u Unit, route string, stops []string) (err error) {
	mutex := concurrency.NewMutex(session, "/routes/"+route)
	if err := mutex.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	doc, err := json.Marshal(stops)
	if err != nil {
		return err
	}
	if err := u.In(ctx, func(tx *sql.Tx) error { return stampRoute(ctx, tx, route, mutex.Header().Revision) }); err != nil {
		return err
	}
	return u.In(ctx, func(tx *sql.Tx) error { return addStops(ctx, tx, route, doc) })
}

// A Shelf is what is done together, by a library.
type Shelf struct{ db *gorm.DB }

func (s Shelf) in(ctx context.Context, work func(tx *gorm.DB) error) error {
	return s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error { return work(tx) })
}

// Sort is refused in one transaction, and writes in the next one.
func (s Shelf) Sort(ctx context.Context, session *concurrency.Session, name string) (err error) {
	mutex := concurrency.NewMutex(session, "/shelves/"+name)
	if err := mutex.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	turn := mutex.Header().Revision
	err = s.in(ctx, func(tx *gorm.DB) error {
		res := tx.Exec("UPDATE shelf SET sorted = true, turn = ? WHERE name = ? AND turn < ?", turn, name, turn)
		if res.Error == nil && res.RowsAffected == 0 {
			return errLost
		}
		return res.Error
	})
	if err != nil {
		return err
	}
	return s.in(ctx, func(tx *gorm.DB) error {
		return tx.Exec("UPDATE book SET place = place + 1 WHERE shelf = ?", name).Error // want: unfenced
	})
}

// Mend reads a row that it locks in one transaction, and writes it in the next one.
func (u Unit) Mend(ctx context.Context, session *concurrency.Session, route string) (err error) {
	mutex := concurrency.NewMutex(session, "/routes/"+route)
	if err := mutex.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	turn := mutex.Header().Revision
	var seen int64
	err = u.In(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT turn FROM route WHERE id = $1 FOR UPDATE", route).Scan(&seen)
	})
	if err != nil {
		return err
	}
	if seen > turn {
		return errLost
	}
	return u.In(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE route SET mended = true, turn = $2 WHERE id = $1", route, turn) // want: weakcondition
		return err
	})
}
