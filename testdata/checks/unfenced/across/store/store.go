// Package store writes the tables of the service. It knows nothing about locks, apart from a token that some of
// its methods compare.
package store

import (
	"context"
	"database/sql"
	"errors"
)

var ErrStale = errors.New("written under a newer lock")

// Tables is what the service needs of a database.
type Tables interface {
	SetQuota(ctx context.Context, team string, quota int) error
	SetBudget(ctx context.Context, team string, cents, token int64) error
}

// SQL is the only implementation.
type SQL struct{ DB *sql.DB }

var _ Tables = (*SQL)(nil)

func (s *SQL) SetQuota(ctx context.Context, team string, quota int) error {
	_, err := s.DB.ExecContext(ctx, "UPDATE team SET quota = $2 WHERE name = $1", team, quota)
	return err
}

func (s *SQL) SetBudget(ctx context.Context, team string, cents, token int64) error {
	const set = "UPDATE budget SET cents = $2, last_token = $3 WHERE team = $1 AND last_token < $3"
	res, err := s.DB.ExecContext(ctx, set, team, cents, token)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		err = ErrStale
	}
	return err
}
