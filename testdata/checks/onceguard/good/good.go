// Package good lets the mark expire, names the day, or runs often enough for a
// second run not to matter.
package good

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

func (j *Jobs) Register(c *cron.Cron) {
	c.AddFunc("30 6 * * 1", j.weekly)
	c.AddFunc("*/5 * * * *", j.often)
	c.AddFunc("0 0 * * *", func() { j.kept() })
}

func (j *Jobs) weekly() {
	ctx := context.Background()
	l, err := j.locker.Obtain(ctx, "jobs:weekly:"+time.Now().Format(time.DateOnly), 5*time.Minute, nil) // verdict: unverified
	if err != nil {
		return
	}
	defer l.Release(ctx)
	j.report(ctx)
}

func (j *Jobs) often() {
	ctx := context.Background()
	l, err := j.locker.Obtain(ctx, "jobs:often", time.Minute, nil) // verdict: unverified
	if err != nil {
		return
	}
	defer l.Release(ctx)
	j.report(ctx)
}

func (j *Jobs) kept() {
	ctx := context.Background()
	if _, err := j.locker.Obtain(ctx, "jobs:kept", 20*time.Hour, nil); err != nil { // verdict: unverified
		return
	}
	j.report(ctx)
}
