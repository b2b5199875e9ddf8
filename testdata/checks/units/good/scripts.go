package good

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	stretch = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`)
	longer  = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2] * 1000) end return 0`)
	again   = redis.NewScript(`
if redis.call("GET", KEYS[1]) ~= ARGV[1] then
	return 0
end
redis.call("SET", KEYS[1], ARGV[1], "EX", ARGV[2])
return 1`)
)

// Pass is renewed by whoever shows it.
type Pass struct {
	rdb       *redis.Client
	key, mark string
	ttl       time.Duration
}

// Stretch counts as the script does.
func (p *Pass) Stretch(ctx context.Context) (bool, error) {
	n, err := stretch.Run(ctx, p.rdb, []string{p.key}, p.mark, p.ttl.Milliseconds()).Int()
	return n == 1, err
}

// Again has a script that takes seconds.
func (p *Pass) Again(ctx context.Context) (bool, error) {
	n, err := again.Run(ctx, p.rdb, []string{p.key}, p.mark, strconv.Itoa(int(p.ttl.Seconds()))).Int()
	return n == 1, err
}

// Longer has one that makes milliseconds of them.
func (p *Pass) Longer(ctx context.Context) (bool, error) {
	n, err := longer.Run(ctx, p.rdb, []string{p.key}, p.mark, int64(p.ttl/time.Second)).Int()
	return n == 1, err
}
