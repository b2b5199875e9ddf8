// Package good speaks to fencevet and means it.
package good

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"

	"example.org/locks/checks/directive/corplock"
	"example.org/locks/checks/directive/jobs"
)

var errStale = errors.New("written under a newer lock")

type Service struct {
	db     *sql.DB
	locker *redislock.Client
	corp   corplock.Client
}

func (s *Service) Accepted(ctx context.Context, n int) error {
	//fencevet:efficiency owner=search until=2199-12-31 the counter is only shown
	l, err := s.locker.Obtain(ctx, "shown", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	_, err = s.db.ExecContext(ctx, "UPDATE shown SET n = $1", n)
	return err
}

func (s *Service) Ignored(ctx context.Context, n int) error {
	l, err := s.locker.Obtain(ctx, "ignored", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	//fencevet:ignore unfenced the table is replaced next month
	_, err = s.db.ExecContext(ctx, "UPDATE ignored SET n = $1", n)
	return err
}

// Wrapped has the decision of the wrapper.
func (s *Service) Wrapped(ctx context.Context, n int) error {
	return jobs.Once(ctx, s.locker, "wrapped", func(ctx context.Context) error { // verdict: unfenced
		_, err := s.db.ExecContext(ctx, "UPDATE wrapped SET n = $1", n)
		return err
	})
}

func (s *Service) Held(ctx context.Context, n int) error {
	l, err := jobs.Hold(ctx, s.locker, "held") // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	_, err = s.db.ExecContext(ctx, "UPDATE held SET n = $1", n)
	return err
}

// Fenced has a lock that only the directives of corplock make one.
func (s *Service) Fenced(ctx context.Context, n int) error {
	//fencevet:correctness
	fence, err := s.corp.Lock(ctx, "stock", 30*time.Second) // verdict: fenced
	if err != nil {
		return err
	}
	defer s.corp.Unlock(context.WithoutCancel(ctx), "stock")
	res, err := s.db.ExecContext(ctx, "UPDATE stock SET n = $1, fence = $2 WHERE id = 1 AND fence < $2", n, fence)
	if err != nil {
		return err
	}
	if rows, err := res.RowsAffected(); err != nil || rows == 0 {
		return errors.Join(errStale, err)
	}
	return nil
}

// Numbered asks the lease for its number.
func (s *Service) Numbered(ctx context.Context, n int) error {
	lease, err := s.corp.TryLease(ctx, corplock.Options{Name: "numbered"}) // verdict: fenced
	if err != nil {
		return err
	}
	if lease == nil {
		return errors.New("busy")
	}
	defer lease.Close()
	res, err := s.db.ExecContext(ctx, "UPDATE stock SET n = $1, fence = $2 WHERE id = 1 AND fence < $2", n, lease.Number())
	if err != nil {
		return err
	}
	if rows, err := res.RowsAffected(); err != nil || rows == 0 {
		return errors.Join(errStale, err)
	}
	return nil
}

// Book is kept by a server which compares the numbers of grants.
type Book interface {
	// Enter refuses entries that are older than the last.
	//
	//fencevet:conditional token=fence resource=page
	Enter(ctx context.Context, page string, fence int64, entry string) error
	// Replace takes whatever comes.
	Replace(ctx context.Context, page, entry string) error
}

// Entered writes through a method that is said to be conditional.
func (s *Service) Entered(ctx context.Context, b Book) error {
	fence, err := s.corp.Lock(ctx, "book", 30*time.Second) // verdict: fenced
	if err != nil {
		return err
	}
	defer s.corp.Unlock(context.WithoutCancel(ctx), "book")
	return b.Enter(ctx, "first", fence, "text")
}
