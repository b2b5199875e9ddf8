package bad

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// A Ledger counts the grants of its locks in Redis.
type Ledger struct {
	locks *redislock.Client
	rdb   *redis.Client
	db    *sql.DB
}

// Machine counts the grants of each machine on its own.
func (l *Ledger) Machine(ctx context.Context, account string, cents int64) error {
	lock, err := l.locks.Obtain(ctx, "ledger:"+account, 5*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	name, err := os.Hostname()
	if err != nil {
		return err
	}
	turn, err := l.rdb.Incr(ctx, "turns:"+account+":"+name).Result()
	if err != nil {
		return err
	}
	return one(l.db.ExecContext(ctx, "UPDATE ledger SET cents = $1, turn = $2 WHERE account = $3 AND turn < $2", cents, turn, account)) // want: weakcondition
}

// Clerk counts the grants of each clerk, as it seems.
func (l *Ledger) Clerk(ctx context.Context, account, clerk string, cents int64) error {
	lock, err := l.locks.Obtain(ctx, "ledger:"+account, 5*time.Second, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	turn, err := l.rdb.Incr(ctx, "turns:"+clerk).Result()
	if err != nil {
		return err
	}
	return one(l.db.ExecContext(ctx, "UPDATE ledger SET cents = $1, turn = $2 WHERE account = $3 AND turn < $2", cents, turn, account))
}

// Insist draws another number where the first was refused.
func (l *Ledger) Insist(ctx context.Context, account string, cents int64) error {
	lock, err := l.locks.Obtain(ctx, "ledger:"+account, 5*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	turn, err := l.rdb.Incr(ctx, "turns:"+account).Result()
	for range 3 {
		if err != nil {
			return err
		}
		err = one(l.db.ExecContext(ctx, "UPDATE ledger SET cents = $1, turn = $2 WHERE account = $3 AND turn < $2", cents, turn, account)) // want: weakcondition
		if !errors.Is(err, errStale) {
			return err
		}
		turn, err = l.rdb.Incr(ctx, "turns:"+account).Result()
	}
	return errStale
}

// Greatest takes one more than the greatest number for its own, after it has read the sum.
func (l *Ledger) Greatest(ctx context.Context, account string, cents int64) error {
	lock, err := l.locks.Obtain(ctx, "ledger:"+account, 5*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	var sum, turn int64
	if err := l.db.QueryRowContext(ctx, "SELECT cents FROM ledger WHERE account = $1", account).Scan(&sum); err != nil {
		return err
	}
	if err := l.db.QueryRowContext(ctx, "SELECT MAX(fence) + 1 FROM ledger WHERE account = $1", account).Scan(&turn); err != nil {
		return err
	}
	return one(l.db.ExecContext(ctx, "UPDATE ledger SET cents = $1, fence = $2 WHERE account = $3 AND fence < $2", sum+cents, turn, account)) // want: weakcondition
}

const takeDesk = `INSERT INTO desk (name, turn, until) VALUES ($1, 1, now() + interval '20 seconds')
ON CONFLICT (name) DO UPDATE SET turn = desk.turn + 1, until = now() + interval '20 seconds' WHERE desk.until < now() RETURNING turn`

// Till asks for the number of any desk.
func Till(ctx context.Context, db *sql.DB, name string, cents int64) error {
	var turn int64
	if err := db.QueryRowContext(ctx, takeDesk, name).Scan(&turn); err != nil { // verdict: unfenced
		return err
	}
	const set = "UPDATE till SET cents = $1 WHERE desk = $2 AND EXISTS (SELECT 1 FROM desk WHERE turn = $3 AND until > now())"
	return one(db.ExecContext(ctx, set, cents, name, turn)) // want: weakcondition
}
