package started

import (
	"context"
	"log"
	"time"

	"github.com/redis/go-redis/v9"
)

// A Hive has one queen among its processes, who clears away what the others have left.
type Hive struct {
	rdb   *redis.Client
	id    string
	queen bool
}

// Settle has nothing to do with the lock but to start the goroutine that asks for it.
func (h *Hive) Settle(ctx context.Context) {
	go h.live(ctx)
}

// live keeps the lock in a field, and works under it from turn to turn.
func (h *Hive) live(ctx context.Context) {
	ask, clear := time.NewTicker(3*time.Second), time.NewTicker(time.Minute)
	defer ask.Stop()
	defer clear.Stop()
	for {
		select {
		case <-ask.C:
			if !h.queen {
				ok, err := h.rdb.SetNX(ctx, "hive:queen:lock", h.id, 10*time.Second).Result() // verdict: unfenced
				if err != nil {
					log.Print(err)
				} else if ok {
					h.queen = true
				}
			} else if err := h.rdb.Expire(ctx, "hive:queen:lock", 10*time.Second).Err(); err != nil {
				log.Print(err)
			}
		case <-clear.C:
			if h.queen {
				if err := h.rdb.HDel(ctx, "hive:cells", "old").Err(); err != nil { // note: unfenced
					log.Print(err)
				}
			}
		case <-ctx.Done():
			return
		}
	}
}

// A Comb is filled by whoever asks first, who never gives it back: nobody here starts that.
type Comb struct {
	rdb  *redis.Client
	mine bool
}

func (c *Comb) fill(ctx context.Context, id string) {
	for range time.Tick(time.Second) {
		if !c.mine {
			ok, err := c.rdb.SetNX(ctx, "comb:filler:lock", id, 10*time.Second).Result() // verdict: unfenced
			c.mine = err == nil && ok
			continue
		}
		if err := c.rdb.HDel(ctx, "comb:cells", "empty").Err(); err != nil { // note: unfenced
			log.Print(err)
			return
		}
	}
}
