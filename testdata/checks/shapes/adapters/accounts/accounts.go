// Package accounts locks accounts, which is no lock of ours, though what locks shelves
// elsewhere has the same methods. Verdict: no lock site.
package accounts

import (
	"context"
	"database/sql"
)

// Locker closes an account, and opens it again.
type Locker interface {
	Lock(ctx context.Context, user string) error
	Unlock(ctx context.Context, user string) error
}

// Service is the office.
type Service struct {
	locker Locker
	db     *sql.DB
}

// Suspend closes an account for good, and writes that down.
func (s *Service) Suspend(ctx context.Context, user string) error {
	if err := s.locker.Lock(ctx, user); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, "INSERT INTO suspensions (user_id) VALUES ($1)", user)
	return err
}
