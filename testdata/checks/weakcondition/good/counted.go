package good

import (
	"context"
	"database/sql"
	"errors"
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

// Account counts the grants of the lock.
func (l *Ledger) Account(ctx context.Context, branch, account string, cents int64) error {
	lock, err := l.locks.Obtain(ctx, "ledger:"+branch+":"+account, 5*time.Second, nil) // verdict: fenced
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	turn, err := l.rdb.Incr(ctx, "turns:"+branch).Result()
	if err != nil {
		return err
	}
	return one(l.db.ExecContext(ctx, "UPDATE ledger SET cents = $1, turn = $2 WHERE account = $3 AND turn < $2", cents, turn, account))
}

// Again writes with the same number until the database answers.
func (l *Ledger) Again(ctx context.Context, account string, cents int64) error {
	lock, err := l.locks.Obtain(ctx, "ledger:"+account, 5*time.Second, nil) // verdict: fenced
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	var turn int64
	for range 3 {
		if turn, err = l.rdb.Incr(ctx, "turns:"+account).Result(); err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	for range 3 {
		err = one(l.db.ExecContext(ctx, "UPDATE ledger SET cents = $1, turn = $2 WHERE account = $3 AND turn < $2", cents, turn, account))
		if err == nil || errors.Is(err, errStale) {
			return err
		}
	}
	return err
}
