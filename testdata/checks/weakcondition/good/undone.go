package good

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// pipes is what both a pool and a transaction of it can do.
type pipes interface {
	CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// pour copies rows, which asks for nothing.
func pour(ctx context.Context, l pipes, tank string, litres [][]any) error {
	_, err := l.CopyFrom(ctx, pgx.Identifier{"inflow"}, []string{"tank", "litres"}, pgx.CopyFromRows(litres))
	return err
}

// level is refused to whoever comes late.
func level(ctx context.Context, l pipes, tank string, token int64) error {
	tag, err := l.Exec(ctx, "UPDATE tank SET measured = now(), token = $2 WHERE name = $1 AND token < $2", tank, token)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return errStale
	}
	return nil
}

// Measure reads the level of the tanks on the pool.
func Measure(ctx context.Context, pool *pgxpool.Pool, tank string, token int64) error {
	return level(ctx, pool, tank, token)
}

// Fill copies first, and asks then: where it is refused all is rolled back.
func Fill(ctx context.Context, session *concurrency.Session, pool *pgxpool.Pool, tank string, litres [][]any) error {
	return withToken(ctx, session, "/tanks/"+tank, func(token int64) error { // verdict: fenced
		return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			if err := pour(ctx, tx, tank, litres); err != nil {
				return err
			}
			return level(ctx, tx, tank, token)
		})
	})
}

// Drain does so by hand.
func Drain(ctx context.Context, session *concurrency.Session, db *sql.DB, tank string) error {
	return withToken(ctx, session, "/tanks/"+tank, func(token int64) error { // verdict: fenced
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		if _, err := tx.ExecContext(ctx, "INSERT INTO outflow (tank) VALUES ($1)", tank); err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, "UPDATE tank SET level = 0, token = $2 WHERE name = $1 AND token < $2", tank, token)
		if err := one(res, err); err != nil {
			return err
		}
		return tx.Commit()
	})
}
