// Package bad frees the mark that says "done for today".
package bad

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/robfig/cron/v3"
)

type Jobs struct {
	locker *redislock.Client
	report func(context.Context)
}

func (j *Jobs) Register(c *cron.Cron) error {
	_, err := c.AddFunc("30 6 * * 1", j.weekly)
	return err
}

func (j *Jobs) weekly() {
	ctx := context.Background()
	l, err := j.locker.Obtain(ctx, "jobs:weekly", 5*time.Minute, nil) // verdict: unverified
	if err != nil {
		return
	}
	defer l.Release(ctx) // want: onceguard
	j.report(ctx)
}
