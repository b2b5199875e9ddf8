package bad

import (
	"context"
	"database/sql"
	"math"
	"time"

	"github.com/redis/go-redis/v9"
	"go.etcd.io/etcd/client/v3/concurrency"
)

const tally = "UPDATE tally SET n = $2, turn = $3 WHERE id = $1 AND turn < $3"

// Tally takes the greatest number where it cannot draw one.
func Tally(ctx context.Context, session *concurrency.Session, rdb *redis.Client, db *sql.DB, id string, n int) error {
	return withToken(ctx, session, "/tallies/"+id, func(int64) error { // verdict: unfenced
		turn, err := rdb.Incr(ctx, "turn:"+id).Result()
		if err != nil {
			turn = math.MaxInt64
		}
		return one(db.ExecContext(ctx, tally, id, n, turn)) // want: weakcondition
	})
}

// Reckon takes the time of day instead.
func Reckon(ctx context.Context, session *concurrency.Session, rdb *redis.Client, db *sql.DB, id string, n int) error {
	return withToken(ctx, session, "/tallies/"+id, func(int64) error { // verdict: unfenced
		turn, err := rdb.Incr(ctx, "turn:"+id).Result()
		if err != nil {
			turn = time.Now().UnixMilli()
		}
		return one(db.ExecContext(ctx, tally, id, n, turn)) // want: weakcondition
	})
}

// Insist goes above whatever number is there.
func Insist(ctx context.Context, session *concurrency.Session, db *sql.DB, id string, n int) error {
	return withToken(ctx, session, "/tallies/"+id, func(turn int64) error { // verdict: unfenced
		var last int64
		if err := db.QueryRowContext(ctx, "SELECT turn FROM tally WHERE id = $1", id).Scan(&last); err != nil {
			return err
		}
		if turn <= last {
			turn = last + 1
		}
		return one(db.ExecContext(ctx, tally, id, n, turn)) // want: weakcondition
	})
}

// TopUp does so in one step.
func TopUp(ctx context.Context, session *concurrency.Session, db *sql.DB, id string, n int) error {
	return withToken(ctx, session, "/tallies/"+id, func(turn int64) error { // verdict: unfenced
		var last int64
		if err := db.QueryRowContext(ctx, "SELECT turn FROM tally WHERE id = $1", id).Scan(&last); err != nil {
			return err
		}
		return one(db.ExecContext(ctx, tally, id, n, max(turn, last+1))) // want: weakcondition
	})
}

// Wrap keeps the number small.
func Wrap(ctx context.Context, session *concurrency.Session, db *sql.DB, id string, n int) error {
	return withToken(ctx, session, "/tallies/"+id, func(turn int64) error { // verdict: unfenced
		return one(db.ExecContext(ctx, tally, id, n, turn%1000)) // want: weakcondition
	})
}

// Late counts first, and draws its number then.
func Late(ctx context.Context, session *concurrency.Session, rdb *redis.Client, db *sql.DB, id string) error {
	return withToken(ctx, session, "/tallies/"+id, func(int64) error { // verdict: unfenced
		var n int
		if err := db.QueryRowContext(ctx, "SELECT n FROM tally WHERE id = $1", id).Scan(&n); err != nil {
			return err
		}
		turn, err := rdb.Incr(ctx, "turn:"+id).Result()
		if err != nil {
			return err
		}
		return one(db.ExecContext(ctx, tally, id, n+1, turn)) // want: weakcondition
	})
}
