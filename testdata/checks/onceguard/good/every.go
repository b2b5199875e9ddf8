package good

import (
	"context"
	"log"
	"time"

	"github.com/go-co-op/gocron/v2"
	"github.com/robfig/cron/v3"
)

// Deliveries registers jobs that run often, one whose key names the hour, and one whose
// key is let run out.
func (c *Carrier) Deliveries(s gocron.Scheduler, old *cron.Cron) error {
	if _, err := old.AddFunc("@every 30s", c.papers); err != nil {
		return err
	}
	if _, err := s.NewJob(gocron.DurationJob(8*time.Hour), gocron.NewTask(c.milk)); err != nil {
		return err
	}
	_, err := s.NewJob(gocron.DurationJob(2*time.Minute), gocron.NewTask(c.papers))
	return err
}

func (c *Carrier) milk() {
	ctx := context.Background()
	mine, err := c.rdb.SetNX(ctx, "milk:"+time.Now().Format("2006010215"), c.me, 7*time.Hour).Result()
	if err != nil || !mine {
		return
	}
	if err := c.post.Deliver(ctx, "milk"); err != nil {
		log.Print(err)
	}
}

func (c *Carrier) papers() {
	ctx := context.Background()
	mine, err := c.rdb.SetNX(ctx, "papers:lock", c.me, 3*time.Minute).Result() // verdict: unverified
	if err != nil || !mine {
		return
	}
	defer c.free(ctx, "papers:lock")
	if err := c.post.Deliver(ctx, "papers"); err != nil {
		log.Print(err)
	}
}
