package bad

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
	Seen  int64  `db:"seen"`
}

// Load stores the token in another column than the one that it compares.
func Load(ctx context.Context, session *concurrency.Session, db *sqlx.DB, b Hold) error {
	return withToken(ctx, session, "/decks/"+b.Deck, func(token int64) error { // verdict: unfenced
		b.Order = token
		const place = "UPDATE berth SET car = :car, seen = :fence WHERE deck = :deck AND fence < :fence"
		return one(db.NamedExecContext(ctx, place, b)) // want: weakcondition
	})
}
