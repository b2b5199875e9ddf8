package good

import (
	"context"

	"github.com/jmoiron/sqlx"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Hold is a row of the ferry's deck; its tags tell the parameters.
type Hold struct {
	Deck  string `db:"deck"`
	Car   string `db:"car"`
	Order int64  `db:"fence"`
}

const place = "UPDATE berth SET car = :car, fence = :fence WHERE deck = :deck AND fence < :fence"

// Load stamps the row that it was given.
func Load(ctx context.Context, session *concurrency.Session, db *sqlx.DB, b Hold) error {
	return withToken(ctx, session, "/decks/"+b.Deck, func(token int64) error { // verdict: fenced
		b.Order = token
		return one(db.NamedExecContext(ctx, place, b))
	})
}

// Shift makes the row on the spot, and expands the names itself.
func Shift(ctx context.Context, session *concurrency.Session, db *sqlx.DB, deck, car string) error {
	return withToken(ctx, session, "/decks/"+deck, func(token int64) error { // verdict: fenced
		text, args, err := sqlx.Named(place, Hold{Deck: deck, Car: car, Order: token})
		if err != nil {
			return err
		}
		return one(db.ExecContext(ctx, db.Rebind(text), args...))
	})
}
