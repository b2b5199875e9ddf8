package good

import (
	"context"
	"errors"

	"github.com/jmoiron/sqlx"
	"go.etcd.io/etcd/client/v3/concurrency"
)

type berth struct {
	Ship  string `db:"ship"`
	State string `db:"state"`
	Turn  int64  `db:"turn"`
}

// Moor makes another record first, and numbers that.
func Moor(ctx context.Context, session *concurrency.Session, db *sqlx.DB, ship string) (err error) {
	mutex := concurrency.NewMutex(session, "/berths/"+ship)
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	b := berth{Ship: ship, Turn: 1}
	if b.State != "moored" {
		b.Turn = 0
		b = berth{Ship: ship, State: "moored"}
	}
	b.Turn = mutex.Header().Revision
	return one(db.NamedExecContext(ctx, "UPDATE berth SET state = :state, turn = :turn WHERE ship = :ship AND turn <= :turn", b))
}
