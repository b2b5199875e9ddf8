package bad

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jmoiron/sqlx"
	"go.etcd.io/etcd/client/v3/concurrency"
)

type berth struct {
	Ship  string `db:"ship"`
	State string `db:"state"`
	Turn  int64  `db:"turn"`
}

const moorShip = "UPDATE berth SET state = :state, turn = :turn WHERE ship = :ship AND turn <= :turn"

// MoorShip gives the record its number, and then makes another one without.
func MoorShip(ctx context.Context, session *concurrency.Session, db *sqlx.DB, ship string) (err error) {
	mutex := concurrency.NewMutex(session, "/berths/"+ship)
	if err := mutex.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	var b berth
	if err := db.GetContext(ctx, &b, "SELECT ship, state, turn FROM berth WHERE ship = $1", ship); err != nil {
		return err
	}
	b.Turn = mutex.Header().Revision
	if b.State != "moored" {
		b = berth{Ship: ship, State: "moored"}
	} else {
		b = berth{Ship: ship, State: "loading"}
	}
	res, err := db.NamedExecContext(ctx, moorShip, b) // want: unfenced
	return shipMoored(res, err)
}

func shipMoored(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errLost)
	}
	return nil
}

// Berth writes the copy that was made before the record had its number.
func Berth(ctx context.Context, session *concurrency.Session, db *sqlx.DB, ship string) (err error) {
	mutex := concurrency.NewMutex(session, "/berths/"+ship)
	if err := mutex.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	b := berth{}
	b = berth{Ship: ship, State: "berthed"}
	next := b
	b.Turn = mutex.Header().Revision
	res, err := db.NamedExecContext(ctx, moorShip, next) // want: unfenced
	return shipMoored(res, err)
}
