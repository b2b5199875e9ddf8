package good

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.etcd.io/etcd/client/v3/concurrency"
)

const park = "UPDATE bay SET car = $2, turn = $3 WHERE id = $1 AND turn < $3"

// Park has a listener for each statement, whose error Close returns.
func Park(ctx context.Context, session *concurrency.Session, pool *pgxpool.Pool, bays map[string]string) error {
	return withToken(ctx, session, "/garage", func(token int64) error { // verdict: fenced
		batch := new(pgx.Batch)
		for bay, car := range bays {
			queued := batch.Queue(park, bay, car, token)
			queued.Exec(func(tag pgconn.CommandTag) error {
				if tag.RowsAffected() == 0 {
					return errStale
				}
				return nil
			})
		}
		return pool.SendBatch(ctx, batch).Close()
	})
}

// ParkOne reads the row that the statement returns; there is none where it was refused.
func ParkOne(ctx context.Context, session *concurrency.Session, pool *pgxpool.Pool, bay, car string) error {
	return withToken(ctx, session, "/garage", func(token int64) error { // verdict: fenced
		batch := new(pgx.Batch)
		var level int
		batch.Queue(park+" RETURNING level", bay, car, token).QueryRow(func(row pgx.Row) error {
			return row.Scan(&level)
		})
		results := pool.SendBatch(ctx, batch)
		return results.Close()
	})
}
