package bad

import (
	"context"
	"log"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/robfig/cron/v3"
)

// Jobs are wrapped in what has the lock for them, in the manner of a middleware.

// Dunning reminds of bills.
type Dunning struct {
	rs    *redsync.Redsync
	locks *redislock.Client
	send  interface {
		Send(ctx context.Context) error
	}
}

// Run is the job.
func (d *Dunning) Run() {
	if err := d.send.Send(context.Background()); err != nil {
		log.Print(err)
	}
}

// single has a job run by one replica.
func single(rs *redsync.Redsync, name string) cron.JobWrapper {
	return func(j cron.Job) cron.Job {
		return cron.FuncJob(func() {
			m := rs.NewMutex("job:"+name, redsync.WithTries(1), redsync.WithExpiry(time.Minute))
			if err := m.Lock(); err != nil { // verdict: unverified
				return
			}
			defer m.Unlock() // want: onceguard
			j.Run()
		})
	}
}

// Register wraps the job when it is added.
func (d *Dunning) Register(c *cron.Cron) error {
	_, err := c.AddJob("15 7 * * 1", cron.NewChain(cron.Recover(cron.DefaultLogger), single(d.rs, "dunning")).Then(d))
	return err
}

// alone is a wrapper that keeps what it needs.
func (d *Dunning) alone(j cron.Job) cron.Job {
	return cron.FuncJob(func() {
		ctx := context.Background()
		l, err := d.locks.Obtain(ctx, "dunning:all", time.Minute, nil) // verdict: unverified
		if err != nil {
			log.Print(err)
			return
		}
		defer l.Release(ctx) // want: onceguard
		j.Run()
	})
}

// Start wraps all jobs of the schedule.
func (d *Dunning) Start() error {
	c := cron.New(cron.WithChain(d.alone))
	if _, err := c.AddJob("@monthly", d); err != nil {
		return err
	}
	c.Start()
	return nil
}
