package bad

import (
	"context"
	"log"
	"time"

	"github.com/go-co-op/gocron/v2"
	"github.com/robfig/cron/v3"
)

// Deliveries registers jobs that run each so many hours, counted from when the replica began.
func (c *Carrier) Deliveries(s gocron.Scheduler, old *cron.Cron) error {
	if _, err := old.AddFunc("@every 6h", c.papers); err != nil {
		return err
	}
	_, err := s.NewJob(gocron.DurationJob(8*time.Hour), gocron.NewTask(c.milk), gocron.WithName("milk"))
	return err
}

func (c *Carrier) milk() {
	ctx := context.Background()
	mine, err := c.rdb.SetNX(ctx, "milk:lock", c.me, 3*time.Minute).Result() // verdict: unverified
	if err != nil || !mine {
		return
	}
	defer c.free(ctx, "milk:lock") // want: onceguard
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
	defer c.free(ctx, "papers:lock") // want: onceguard
	if err := c.post.Deliver(ctx, "papers"); err != nil {
		log.Print(err)
	}
}
