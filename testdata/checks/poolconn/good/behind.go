package good

import (
	"context"
	"database/sql"
	"errors"
)

// Runner is all that the tools below need of a database.
type Runner interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Seeder fills an empty database once.
type Seeder struct {
	db  Runner
	job Job
}

// Seed takes one connection for all of it.
func Seed(ctx context.Context, db *sql.DB, job Job) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	s := &Seeder{db: conn, job: job}
	return s.seed(ctx)
}

func (s *Seeder) seed(ctx context.Context) (err error) {
	if _, err := s.db.ExecContext(ctx, "SELECT pg_advisory_lock(811)"); err != nil { // verdict: unverified
		return err
	}
	defer func() {
		_, e := s.db.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock(811)")
		err = errors.Join(err, e)
	}()
	return s.job.Run(ctx)
}

// Tool is made of pools and of connections: this one may be of either.
type Tool struct{ db Runner }

// Pages needs no lock.
func Pages(ctx context.Context, db *sql.DB) error {
	t := &Tool{db: db}
	_, err := t.db.ExecContext(ctx, "ANALYZE pages")
	return err
}

// Vacuum locks by the tool that was made of a connection.
func Vacuum(ctx context.Context, conn *sql.Conn, job Job) error {
	return (&Tool{db: conn}).exclusively(ctx, job)
}

func (t *Tool) exclusively(ctx context.Context, job Job) (err error) {
	if _, err := t.db.ExecContext(ctx, "SELECT pg_advisory_lock(812)"); err != nil { // verdict: unverified
		return err
	}
	defer func() {
		_, e := t.db.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock(812)")
		err = errors.Join(err, e)
	}()
	return job.Run(ctx)
}

// Given does not know what its callers have.
func Given(ctx context.Context, db Runner, job Job) (err error) {
	if _, err := db.ExecContext(ctx, "SELECT pg_advisory_lock(813)"); err != nil { // verdict: unverified
		return err
	}
	defer func() {
		_, e := db.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock(813)")
		err = errors.Join(err, e)
	}()
	return job.Run(ctx)
}
