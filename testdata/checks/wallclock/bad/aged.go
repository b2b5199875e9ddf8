package bad

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

const watch = 40 * time.Second

var (
	prolong = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`)
	putDown = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
)

// Helm is kept by one at a time, who looks how long ago it was renewed.
type Helm struct {
	rdb   *redis.Client
	who   string
	beat  atomic.Int64 // seconds
	milli int64
	seen  time.Time
}

func (h *Helm) take(ctx context.Context) (bool, error) {
	now := time.Now()
	ok, err := h.rdb.SetNX(ctx, "helm", h.who, watch).Result()
	if ok && err == nil {
		h.beat.Store(now.Unix())
		h.milli = now.UnixMilli()
		h.seen = now.UTC()
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
		return errBusy
	}
	h.beat.Store(now.Unix())
	h.milli = now.UnixMilli()
	h.seen = now.UTC()
	return nil
}

func (h *Helm) young() bool {
	return time.Now().Unix()-h.beat.Load() < int64(watch/time.Second)/2 // want: wallclock
}

func (h *Helm) late() bool {
	return 20_000 <= time.Now().UnixMilli()-h.milli // want: wallclock
}

func (h *Helm) old() bool {
	return time.Since(h.seen) > watch/2 // want: wallclock
}

// Steer is short, and only goes on while the lock is young.
func (h *Helm) Steer(ctx context.Context, turn func(context.Context) error) error {
	ok, err := h.take(ctx)
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer putDown.Run(context.WithoutCancel(ctx), h.rdb, []string{"helm"}, h.who)
	for range 10 {
		if !h.young() || h.late() || h.old() {
			if err := h.renew(ctx); err != nil {
				return err
			}
		}
		if err := turn(ctx); err != nil {
			return err
		}
	}
	return nil
}
