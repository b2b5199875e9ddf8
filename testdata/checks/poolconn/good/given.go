package good

import (
	"context"
	"errors"

	"gorm.io/gorm"
)

// single runs on whatever it is given, which is one connection each time.
func single(ctx context.Context, db *gorm.DB, id int64, job Job) (err error) {
	db = db.WithContext(context.WithoutCancel(ctx))
	if err := db.Exec("SELECT pg_advisory_lock(?)", id).Error; err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, db.Exec("SELECT pg_advisory_unlock(?)", id).Error) }()
	return job.Run(ctx)
}

// GivenConnection pins the connection and leaves the rest to another function.
func GivenConnection(ctx context.Context, db *gorm.DB, id int64, job Job) error {
	return db.Connection(func(c *gorm.DB) error { return single(ctx, c, id, job) })
}

// runner keeps the connection that it was made with.
type runner struct {
	db  *gorm.DB
	job Job
}

func (r *runner) run(ctx context.Context, id int64) (err error) {
	if err := r.db.Exec("SELECT pg_advisory_lock(?)", id).Error; err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, r.db.Exec("SELECT pg_advisory_unlock(?)", id).Error) }()
	return r.job.Run(ctx)
}

// KeptConnection makes the runner for one connection.
func KeptConnection(ctx context.Context, db *gorm.DB, id int64, job Job) error {
	return db.Connection(func(c *gorm.DB) error {
		r := &runner{db: c, job: job}
		return r.run(ctx, id)
	})
}

// Nightly is run by its name.
type Nightly struct {
	ctx context.Context
	job Job
}

func (n *Nightly) locked(db *gorm.DB) (err error) {
	if err := db.Exec("SELECT pg_advisory_lock(77)").Error; err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, db.Exec("SELECT pg_advisory_unlock(77)").Error) }()
	return n.job.Run(n.ctx)
}

func (n *Nightly) Start(db *gorm.DB) error { return db.Connection(n.locked) }
