// Package bad reads before it locks and writes back what it read.
package bad

import (
	"context"
	"database/sql"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

type Points struct {
	db    *sql.DB
	locks *redislock.Client
}

func (p *Points) balance(ctx context.Context, member string) (int, error) {
	var n int
	err := p.db.QueryRowContext(ctx, "SELECT points FROM members WHERE id = $1", member).Scan(&n)
	return n, err
}

func (p *Points) Spend(ctx context.Context, member string, n int) error {
	have, err := p.balance(ctx, member)
	if err != nil {
		return err
	}
	l, err := p.locks.Obtain(ctx, "member:"+member, 10*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	_, err = p.db.ExecContext(ctx, "UPDATE members SET points = $2 WHERE id = $1", member, have-n) // want: unfenced,staleread
	return err
}

// Append keeps a document in Redis itself.
func Append(ctx context.Context, rdb *redis.Client, locks *redislock.Client, id, line string) error {
	old, err := rdb.Get(ctx, "doc:"+id).Result()
	if err != nil {
		return err
	}
	l, err := locks.Obtain(ctx, "lock:doc:"+id, 10*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return rdb.Set(ctx, "doc:"+id, old+line, 0).Err() // want: unfenced,staleread
}
