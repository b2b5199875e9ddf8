package bad

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

var letGo = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Mill grinds one sack at a time.
type Mill struct {
	rdb  *redis.Client
	name string
	ttl  time.Duration // which nobody sets
}

// NewMill leaves it at zero.
func NewMill(rdb *redis.Client, name string) *Mill { return &Mill{rdb: rdb, name: name} }

// Grind holds the lock for good if it dies.
func (m *Mill) Grind(ctx context.Context, owner string, sack func(context.Context) error) (err error) {
	ok, err := m.rdb.SetNX(ctx, "lock:mill:"+m.name, owner, m.ttl).Result() // want: acquire
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("grinding")
	}
	defer func() {
		n, e := letGo.Run(context.WithoutCancel(ctx), m.rdb, []string{"lock:mill:" + m.name}, owner).Int()
		if e == nil && n == 0 {
			e = errors.New("lost")
		}
		err = errors.Join(err, e)
	}()
	return sack(ctx)
}
