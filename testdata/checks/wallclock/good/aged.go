package good

import (
	"context"
	"errors"
	"log"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

const watch = 40 * time.Second

var (
	errOther = errors.New("somebody else is at the helm")

	prolong = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`)
	putDown = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
)

// Helm keeps the times themselves, and beside them numbers of other things.
type Helm struct {
	rdb    *redis.Client
	who    string
	last   atomic.Pointer[time.Time]
	said   atomic.Int64 // when the log heard of it
	gusts  atomic.Int64 // when the wind changed
	noted  int64
	silent time.Duration
}

func (h *Helm) take(ctx context.Context) (bool, error) {
	now := time.Now()
	ok, err := h.rdb.SetNX(ctx, "helm", h.who, watch).Result()
	if ok && err == nil {
		h.last.Store(&now)
		h.said.Store(now.Unix())
		h.noted = now.Unix()
	}
	return ok, err
}

func (h *Helm) renew(ctx context.Context) error {
	now := time.Now()
	n, err := prolong.Run(ctx, h.rdb, []string{"helm"}, h.who, watch.Milliseconds()).Int()
	if err != nil {
		return err
	}
	if n == 0 {
		return errOther
	}
	h.last.Store(&now)
	// Now and then the log is told, by whichever clock.
	if now.Unix()-h.said.Load() > 2 {
		log.Print("renewed")
		h.said.Store(now.Unix())
	}
	return nil
}

// Wind is told from outside, and has nothing to do with the lock.
func (h *Helm) Wind() {
	h.gusts.Store(time.Now().Unix())
	h.noted = time.Now().Unix()
}

func (h *Helm) young() bool { return time.Since(*h.last.Load()) < watch/2 }

func (h *Helm) calm() bool {
	return time.Now().Unix()-h.gusts.Load() > 20 && time.Now().Unix()-h.noted > 20
}

// Steer is short, and only goes on while the lock is young.
func (h *Helm) Steer(ctx context.Context, turn func(context.Context) error) error {
	ok, err := h.take(ctx)
	if err != nil {
		return err
	}
	if !ok {
		return errOther
	}
	defer putDown.Run(context.WithoutCancel(ctx), h.rdb, []string{"helm"}, h.who)
	for range 10 {
		if !h.young() {
			if err := h.renew(ctx); err != nil {
				return err
			}
		}
		if h.calm() {
			continue
		}
		if err := turn(ctx); err != nil {
			return err
		}
	}
	return nil
}
