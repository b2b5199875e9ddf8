// Package good reads what it writes back under the lock, or reads something else before.
package good

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
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

// Spend looks before it waits, and again once it has the lock.
func (p *Points) Spend(ctx context.Context, member string, n int) error {
	have, err := p.balance(ctx, member)
	if err != nil {
		return err
	}
	if have < n {
		return errors.New("too few points")
	}
	l, err := p.locks.Obtain(ctx, "member:"+member, 10*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	if have, err = p.balance(ctx, member); err != nil {
		return err
	}
	_, err = p.db.ExecContext(ctx, "UPDATE members SET points = $2 WHERE id = $1", member, have-n) // want: unfenced
	return err
}

// Merge is told by another table whose points are meant.
func (p *Points) Merge(ctx context.Context, card string, n int) error {
	var member string
	if err := p.db.QueryRowContext(ctx, "SELECT member FROM cards WHERE id = $1", card).Scan(&member); err != nil {
		return err
	}
	l, err := p.locks.Obtain(ctx, "member:"+member, 10*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	_, err = p.db.ExecContext(ctx, "UPDATE members SET points = points + $2 WHERE id = $1", member, n) // want: unfenced
	return err
}

// Rename compares the version that it read: a stale one is refused.
func (p *Points) Rename(ctx context.Context, member, suffix string) error {
	var name string
	var version int
	if err := p.db.QueryRowContext(ctx, "SELECT name, version FROM members WHERE id = $1", member).Scan(&name, &version); err != nil {
		return err
	}
	l, err := p.locks.Obtain(ctx, "member:"+member, 10*time.Second, nil) // note: redundantlock // verdict: fenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	res, err := p.db.ExecContext(ctx, "UPDATE members SET name = $2, version = version + 1 WHERE id = $1 AND version = $3", member, name+suffix, version)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errors.New("changed meanwhile"))
	}
	return nil
}
