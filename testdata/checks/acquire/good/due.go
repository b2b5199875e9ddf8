package good

import (
	"context"
	"log"
	"strings"
	"time"

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
