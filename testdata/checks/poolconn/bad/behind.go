package bad

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

// NewSeeder is given a pool, which nobody sees from here on.
func NewSeeder(db *sql.DB, job Job) *Seeder { return &Seeder{db: db, job: job} }

// Seed locks and unlocks wherever there is a connection.
func (s *Seeder) Seed(ctx context.Context) (err error) {
	if _, err := s.db.ExecContext(ctx, "SELECT pg_advisory_lock(811)"); err != nil { // want: poolconn // verdict: unverified
		return err
	}
	defer func() {
		_, e := s.db.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock(811)")
		err = errors.Join(err, e)
	}()
	return s.job.Run(ctx)
}

// DB has methods of the program's own besides those of the pool in it.
type DB struct{ *sql.DB }

// Vacuum hands its own kind of database on.
func Vacuum(ctx context.Context, db DB, job Job) error { return exclusively(ctx, db, job) }

func exclusively(ctx context.Context, db Runner, job Job) (err error) {
	if _, err := db.ExecContext(ctx, "SELECT pg_advisory_lock(812)"); err != nil { // want: poolconn // verdict: unverified
		return err
	}
	defer func() {
		_, e := db.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock(812)")
		err = errors.Join(err, e)
	}()
	return job.Run(ctx)
}

// Counter writes through the handle on which it has locked: that is no session.
type Counter struct{ db Runner }

// Count says so by the pool that it is made of.
func Count(ctx context.Context, db *sql.DB, page string) (err error) {
	c := Counter{db: db}
	if _, err := c.db.ExecContext(ctx, "SELECT pg_advisory_lock(813)"); err != nil { // want: poolconn // verdict: unfenced
		return err
	}
	defer func() {
		_, e := c.db.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock(813)")
		err = errors.Join(err, e)
	}()
	_, err = c.db.ExecContext(ctx, "UPDATE pages SET hits = hits + 1 WHERE page = $1", page) // want: unfenced
	return err
}
