package good

import (
	"context"
	"log"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/robfig/cron/v3"
)

// Gauges are read every few minutes: once more does no harm.
type Gauges struct {
	locks *redislock.Client
	rs    *redsync.Redsync
}

func (g *Gauges) alone(j cron.Job) cron.Job {
	return cron.FuncJob(func() {
		ctx := context.Background()
		l, err := g.locks.Obtain(ctx, "gauges", time.Minute, nil) // verdict: unverified
		if err != nil {
			log.Print(err)
			return
		}
		defer l.Release(ctx)
		j.Run()
	})
}

// inTurn lets one replica after the other do the job, each for itself.
func (g *Gauges) inTurn(j cron.Job) cron.Job {
	return cron.FuncJob(func() {
		m := g.rs.NewMutex("gauges:turn", redsync.WithTries(40))
		if err := m.Lock(); err != nil { // verdict: unverified
			log.Print(err)
			return
		}
		defer m.Unlock()
		j.Run()
	})
}

// Start adds two jobs.
func (g *Gauges) Start(c *cron.Cron, read, reset func()) error {
	if _, err := c.AddJob("*/5 * * * *", cron.NewChain(g.alone).Then(cron.FuncJob(read))); err != nil {
		return err
	}
	_, err := c.AddJob("0 0 * * *", cron.NewChain(g.inTurn).Then(cron.FuncJob(reset)))
	return err
}
