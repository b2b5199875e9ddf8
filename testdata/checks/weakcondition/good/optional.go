package good

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// A berthing is what a query takes; without a epoch its condition is void.
type berthing struct {
	pier  string
	ship  string
	epoch sql.NullInt64
}

// berth is made by tools as well, which have no lock and no epoch.
func berth(ctx context.Context, db *sql.DB, b berthing) error {
	const set = `UPDATE pier SET ship = $2, epoch = COALESCE($3, epoch)
		WHERE id = $1 AND ($3::bigint IS NULL OR epoch < $3)`
	return one(db.ExecContext(ctx, set, b.pier, b.ship, b.epoch))
}

// Berth gives the epoch.
func Berth(ctx context.Context, session *concurrency.Session, db *sql.DB, pier, ship string) error {
	return withToken(ctx, session, "/piers/"+pier, func(token int64) error { // verdict: fenced
		return berth(ctx, db, berthing{pier: pier, ship: ship, epoch: sql.NullInt64{Int64: token, Valid: true}})
	})
}

// Cast does so with a type of the driver.
func Cast(ctx context.Context, session *concurrency.Session, pool *pgxpool.Pool, pier string) error {
	return withToken(ctx, session, "/piers/"+pier, func(token int64) error { // verdict: fenced
		epoch := pgtype.Int8{Int64: token, Valid: true}
		tag, err := pool.Exec(ctx, "UPDATE pier SET ship = NULL, epoch = COALESCE($2, epoch) WHERE id = $1 AND (epoch < $2 OR $2 IS NULL)", pier, epoch)
		if err == nil && tag.RowsAffected() == 0 {
			err = errStale
		}
		return err
	})
}

// Tow leaves it to the caller whether there is one.
func Tow(ctx context.Context, session *concurrency.Session, db *sql.DB, pier, ship string, epoch sql.NullInt64) error {
	return withToken(ctx, session, "/piers/"+pier, func(int64) error { // verdict: unverified
		return berth(ctx, db, berthing{pier: pier, ship: ship, epoch: epoch})
	})
}
