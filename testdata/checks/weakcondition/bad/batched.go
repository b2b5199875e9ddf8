package bad

import (
	"context"
	"log"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.etcd.io/etcd/client/v3/concurrency"
)

const park = "UPDATE bay SET car = $2, turn = $3 WHERE id = $1 AND turn < $3"

// Park ends a batch whose answers nobody reads.
func Park(ctx context.Context, session *concurrency.Session, pool *pgxpool.Pool, bays map[string]string) error {
	return withToken(ctx, session, "/garage", func(token int64) error { // verdict: unfenced
		batch := new(pgx.Batch)
		for bay, car := range bays {
			batch.Queue(park, bay, car, token)
		}
		return pool.SendBatch(ctx, batch).Close() // want: weakcondition
	})
}

// ParkDeaf has a listener that does not listen.
func ParkDeaf(ctx context.Context, session *concurrency.Session, pool *pgxpool.Pool, bay, car string) error {
	return withToken(ctx, session, "/garage", func(token int64) error { // verdict: unfenced
		batch := new(pgx.Batch)
		batch.Queue(park, bay, car, token).Exec(func(pgconn.CommandTag) error {
			log.Printf("%s is parked", car)
			return nil
		})
		return pool.SendBatch(ctx, batch).Close() // want: weakcondition
	})
}

// ParkAlone lets the listener tell nobody.
func ParkAlone(ctx context.Context, session *concurrency.Session, pool *pgxpool.Pool, bay, car string) error {
	return withToken(ctx, session, "/garage", func(token int64) error { // verdict: unfenced
		batch := new(pgx.Batch)
		batch.Queue(park, bay, car, token).Exec(func(tag pgconn.CommandTag) error {
			if tag.RowsAffected() == 0 {
				return errStale
			}
			return nil
		})
		pool.SendBatch(ctx, batch).Close() // want: weakcondition
		return nil
	})
}
