// Package bad has directives that do not do what they say, and locks that directives make known.
package bad

import (
	"context"
	"database/sql"
	"time"

	"github.com/bsm/redislock"
	"go.etcd.io/etcd/client/v3/concurrency"

	"example.org/locks/checks/directive/corplock"
	"example.org/locks/checks/directive/good"
	"example.org/locks/checks/directive/jobs"
)

type Service struct {
	db     *sql.DB
	locker *redislock.Client
	corp   corplock.Client
}

func (s *Service) Reasonless(ctx context.Context, n int) error {
	//fencevet:efficiency // want: directive
	l, err := s.locker.Obtain(ctx, "a", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	_, err = s.db.ExecContext(ctx, "UPDATE a SET n = $1", n) // want: unfenced
	return err
}

func (s *Service) Expired(ctx context.Context, n int) error {
	//fencevet:efficiency owner=search until=2024-02-29 the counter is only shown // want: directive
	l, err := s.locker.Obtain(ctx, "b", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	_, err = s.db.ExecContext(ctx, "UPDATE b SET n = $1", n) // want: unfenced
	return err
}

func (s *Service) Misspelt(ctx context.Context, n int) error {
	//fencevet:eficiency the counter is only shown // want: directive
	l, err := s.locker.Obtain(ctx, "c", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	//fencevet:ignore unfencd the counter is only shown // want: directive
	_, err = s.db.ExecContext(ctx, "UPDATE c SET n = $1", n) // want: unfenced
	return err
}

func (s *Service) Needless(ctx context.Context, m *concurrency.Mutex, n int) error {
	//fencevet:efficiency the counter is only shown // want: directive
	if err := m.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	res, err := s.db.ExecContext(ctx, "UPDATE d SET n = $1, fence = $2 WHERE id = 1 AND fence < $2", n, m.Header().Revision)
	if err != nil {
		return err
	}
	_, err = one(res.RowsAffected())
	return err
}

func one(rows int64, err error) (bool, error) {
	if err == nil && rows == 0 {
		err = sql.ErrNoRows
	}
	return rows == 1, err
}

// Nothing says something about a call that takes no lock; only the whole module shows that.
func (s *Service) Nothing(ctx context.Context, n int) error {
	//fencevet:efficiency no lock here // want: directive // linked
	_, err := s.db.ExecContext(ctx, "UPDATE e SET n = $1", n)
	return err
}

// Silent ignores checks that say nothing.
func (s *Service) Silent(ctx context.Context, n int) error {
	//fencevet:ignore unfenced,units there is none // want: directive // linked
	_, err := s.db.ExecContext(ctx, "UPDATE e SET n = $1", n)
	return err
}

//fencevet:efficiency this stands beside nothing // want: directive

// fencevet:ignore unfenced this was meant to be one // want: directive

// Demanded is not fenced, and was said to be.
func (s *Service) Demanded(ctx context.Context, b good.Book) error {
	//fencevet:correctness owner=billing
	fence, err := s.corp.Lock(ctx, "book", 30*time.Second) // verdict: unverified // want: unfenced
	if err != nil {
		return err
	}
	defer s.corp.Unlock(context.WithoutCancel(ctx), "book")
	_ = fence
	return b.Replace(ctx, "first", "text")
}

// Unlike compares the name of the lease, of which nothing is said.
func (s *Service) Unlike(ctx context.Context, n int) error {
	lease, err := s.corp.TryLease(ctx, corplock.Options{Name: "unlike"}) // verdict: unverified
	if err != nil || lease == nil {
		return err
	}
	defer lease.Close()
	_, err = s.db.ExecContext(ctx, "UPDATE f SET n = $1, fence = $2 WHERE id = 1 AND fence < $2", n, lease.ID())
	return err
}

// Run works under a lock that With takes.
func (s *Service) Run(ctx context.Context, n int) error {
	return corplock.With(ctx, s.corp, "run", func(ctx context.Context) error { // verdict: unfenced
		_, err := s.db.ExecContext(ctx, "UPDATE g SET n = $1", n) // want: unfenced
		return err
	})
}

// Nearer has a decision of its own, which counts before that of the wrapper.
func (s *Service) Nearer(ctx context.Context, n int) error {
	//fencevet:correctness this one moves money
	return jobs.Once(ctx, s.locker, "nearer", func(ctx context.Context) error { // verdict: unfenced
		_, err := s.db.ExecContext(ctx, "UPDATE account SET n = $1", n) // want: unfenced
		return err
	})
}

//fencevet:acquire key=nme // want: directive
func take(name string) error { return nil }

//fencevet:acquire kind=leese key=name // want: directive
func takeToo(name string) error { return nil }

func call() {
	_ = take("x") //fencevet:acquire key=name // want: directive
	_ = takeToo("y")
}
