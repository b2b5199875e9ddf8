package good

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Mills draws one number for all sacks, in each turn of a loop that takes the lock anew.
func Mills(ctx context.Context, session *concurrency.Session, rdb *redis.Client, db *sql.DB, sacks []string) error {
	for ctx.Err() == nil {
		if err := mill(ctx, session, rdb, db, sacks); err != nil {
			return err
		}
		time.Sleep(time.Minute)
	}
	return ctx.Err()
}

func mill(ctx context.Context, session *concurrency.Session, rdb *redis.Client, db *sql.DB, sacks []string) (err error) {
	mutex := concurrency.NewMutex(session, "/mill")
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	n, err := rdb.Incr(ctx, "mill:number").Result()
	if err != nil {
		return err
	}
	for _, sack := range sacks {
		const set = "UPDATE sack SET ground = true, fence = $2 WHERE id = $1 AND fence <= $2"
		if err := one(db.ExecContext(ctx, set, sack, n)); err != nil {
			return err
		}
	}
	return nil
}

// A Shelf keeps things of one kind in a table that it is told.
type Shelf[T any] struct {
	db    *sql.DB
	table string
}

// Keep says of which table the compared column is, by another name of that.
func (s *Shelf[T]) Keep(ctx context.Context, id string, thing T, turn int64) error {
	set := fmt.Sprintf(`INSERT INTO %s AS old (id, thing, turn) VALUES ($1, $2, $3)
		ON CONFLICT (id) DO UPDATE SET thing = EXCLUDED.thing, turn = EXCLUDED.turn WHERE old.turn < EXCLUDED.turn`, s.table)
	return one(s.db.ExecContext(ctx, set, id, thing, turn))
}

// Jars keeps jars.
func Jars(ctx context.Context, session *concurrency.Session, jars *Shelf[string], id, jar string) (err error) {
	mutex := concurrency.NewMutex(session, "/jars/"+id)
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	return jars.Keep(ctx, id, jar, mutex.Header().Revision)
}
