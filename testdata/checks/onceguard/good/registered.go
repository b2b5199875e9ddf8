package good

import (
	"context"
	"log"
	"time"

	"github.com/bsm/redislock"
	"github.com/robfig/cron/v3"
)

// Shop does several things a day, one of them under a lock that others take as well.
type Shop struct {
	locker *redislock.Client
	count  func(context.Context) error
	warm   func(context.Context) error
}

func (s *Shop) Register(c *cron.Cron) error {
	_, err := c.AddFunc("45 4 * * *", s.daily)
	return err
}

func (s *Shop) daily() {
	ctx := context.Background()
	if err := s.count(ctx); err != nil {
		log.Print(err)
	}
	s.refresh(ctx)
}

// refresh may be called at any time, and twice.
func (s *Shop) refresh(ctx context.Context) {
	l, err := s.locker.Obtain(ctx, "shop:refresh", time.Minute, nil) // verdict: unverified
	if err != nil {
		return
	}
	defer l.Release(ctx)
	if err := s.warm(ctx); err != nil {
		log.Print(err)
	}
}
