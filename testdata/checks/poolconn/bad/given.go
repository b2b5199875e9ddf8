package bad

import (
	"context"
	"errors"

	"gorm.io/gorm"
)

// single runs on whatever it is given.
func single(ctx context.Context, db *gorm.DB, id int64, job Job) (err error) {
	if err := db.Exec("SELECT pg_advisory_lock(?)", id).Error; err != nil { // want: poolconn // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, db.Exec("SELECT pg_advisory_unlock(?)", id).Error) }()
	return job.Run(ctx)
}

// Both pins a connection once, and once does not.
func Both(ctx context.Context, db *gorm.DB, job Job) error {
	session, err := open()
	if err != nil {
		return err
	}
	return errors.Join(
		db.Connection(func(c *gorm.DB) error { return single(ctx, c, 1, job) }),
		single(ctx, session, 2, job),
	)
}

func open() (*gorm.DB, error) { return gorm.Open(nil, &gorm.Config{}) }

// Worker does the work of a worker like itself, under a lock.
type Worker struct {
	db   *gorm.DB
	next Task
}

// Task is what a worker does.
type Task interface {
	Do(ctx context.Context, name string) error
}

func (w *Worker) Do(ctx context.Context, name string) error { return w.alone(ctx, name) }

func (w *Worker) alone(ctx context.Context, name string) (err error) {
	if err := w.db.Exec("SELECT pg_advisory_lock(7)").Error; err != nil { // want: poolconn // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, w.db.Exec("SELECT pg_advisory_unlock(7)").Error) }()
	return w.next.Do(ctx, name)
}
