package bad

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// Scripts that renew say themselves what they count in.

var (
	stretch = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`)
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

// Stretch gives a script seconds that counts milliseconds.
func (p *Pass) Stretch(ctx context.Context) (bool, error) {
	n, err := stretch.Run(ctx, p.rdb, []string{p.key}, p.mark, int(p.ttl.Seconds())).Int() // want: units
	return n == 1, err
}

// Again gives one milliseconds that counts seconds, as a text.
func (p *Pass) Again(ctx context.Context) (bool, error) {
	n, err := again.Run(ctx, p.rdb, []string{p.key}, p.mark, strconv.FormatInt(p.ttl.Milliseconds(), 10)).Int() // want: units
	return n == 1, err
}

// Through has a method of its own between the number and the script.
func (p *Pass) Through(ctx context.Context) (bool, error) {
	return p.run(ctx, int64(p.ttl/time.Second)) // want: units
}

func (p *Pass) run(ctx context.Context, millis int64) (bool, error) {
	n, err := stretch.Run(ctx, p.rdb, []string{p.key}, p.mark, millis).Int()
	return n == 1, err
}
