package good

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"strings"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

// prefix is what all keys of this fleet begin with.
var prefix = "fleet"

// prefixed builds a key piece by piece.
func prefixed(parts ...string) string {
	if len(parts) == 0 {
		return prefix
	}
	var b strings.Builder
	b.WriteString(prefix)
	for _, p := range parts {
		b.WriteByte(':')
		b.WriteString(p)
	}
	return b.String()
}

// A Vessel reports where it is, and may become the one that leads the fleet.
type Vessel struct {
	rdb   *redis.Client
	name  string
	leads bool
}

// Sail reports in each of its turns that are due for it, whoever leads.
func (v *Vessel) Sail(ctx context.Context, lead, report <-chan time.Time) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-lead:
			ok, err := v.rdb.SetNX(ctx, prefixed("leader", "lock"), v.name, time.Minute).Result()
			if err != nil {
				log.Print(err)
			} else if ok {
				v.leads = true
			}
		case <-report:
			if err := v.rdb.HSet(ctx, prefixed("positions"), v.name, time.Now().String()).Err(); err != nil {
				log.Print(err)
			}
		}
	}
}

var strike = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Strike gives the lead back, and forgets nobody's position.
func (v *Vessel) Strike(ctx context.Context) error {
	return strike.Run(ctx, v.rdb, []string{prefixed("leader", "lock")}, v.name).Err()
}

// A Helm is at the wheel of one ship, or follows another.
type Helm struct {
	locker *redislock.Client
	orders *sql.DB
}

// Steer takes the wheel that it was offered, or one that is free, and follows in the turns in which
// there is none.
func (h *Helm) Steer(ctx context.Context, offered string) {
	for ctx.Err() == nil {
		var wheel *redislock.Lock
		var err error
		if offered != "" {
			name := offered
			offered = ""
			if wheel, err = h.locker.Obtain(ctx, "wheel:"+name, time.Minute, nil); err != nil { // verdict: unfenced
				log.Print(err)
				time.Sleep(time.Second)
				continue
			}
		} else if wheel, err = h.free(ctx); err != nil { // verdict: unfenced
			log.Print(err)
			continue
		}
		if wheel != nil {
			h.heed(ctx, wheel.Key())
			_ = wheel.Release(context.WithoutCancel(ctx))
			continue
		}
		offered = h.follow(ctx)
	}
}

// free takes whichever wheel is left alone; nil is none.
func (h *Helm) free(ctx context.Context) (*redislock.Lock, error) {
	wheel, err := h.locker.Obtain(ctx, "wheel", time.Minute, nil)
	if errors.Is(err, redislock.ErrNotObtained) {
		return nil, nil
	}
	return wheel, err
}

func (h *Helm) heed(ctx context.Context, name string) {
	if _, err := h.orders.ExecContext(ctx, "UPDATE orders SET heeded = true WHERE ship = $1", name); err != nil { // want: unfenced
		log.Print(err)
	}
}

// follow is what the ship does that nobody steers, and tells whether the wheel is offered.
func (h *Helm) follow(ctx context.Context) string {
	if _, err := h.orders.ExecContext(ctx, "UPDATE positions SET seen = now()"); err != nil {
		log.Print(err)
	}
	return ""
}
