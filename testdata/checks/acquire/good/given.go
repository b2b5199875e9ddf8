package good

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/gomodule/redigo/redis"
)

var errOccupied = errors.New("berth is occupied")

var castOff = redis.NewScript(1, `
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`)

// Moor makes the owner, and dock looks at what came back.
func Moor(ctx context.Context, pool *redis.Pool, berth string, unload func(context.Context) error) (err error) {
	ship := rand.Text()
	if err := dock(ctx, pool, "berth:"+berth, ship, time.Minute); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, undock(context.WithoutCancel(ctx), pool, "berth:"+berth, ship)) }()
	return unload(ctx)
}

func dock(ctx context.Context, pool *redis.Pool, berth, ship string, stay time.Duration) error {
	c, err := pool.GetContext(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	answer, err := redis.DoContext(c, ctx, "SET", berth, ship, "PX", stay.Milliseconds(), "NX")
	if err == nil && answer == nil {
		err = errOccupied
	}
	return err
}

func undock(ctx context.Context, pool *redis.Pool, berth, ship string) error {
	c, err := pool.GetContext(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	n, err := redis.Int(castOff.DoContext(ctx, c, berth, ship))
	if err == nil && n == 0 {
		err = errors.New("berth was given to another ship")
	}
	return err
}

// Tide keeps the first forecast of a day. Whoever is second does not mind.
func Tide(ctx context.Context, pool *redis.Pool, port, forecast string) error {
	return first(ctx, pool, "tide:"+port, forecast, 24*time.Hour)
}

func first(ctx context.Context, pool *redis.Pool, key, value string, keep time.Duration) error {
	c, err := pool.GetContext(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = redis.DoContext(c, ctx, "SET", key, value, "PX", keep.Milliseconds(), "NX")
	return err
}

// Storm takes back whatever forecast there is.
func Storm(ctx context.Context, pool *redis.Pool, port string) error {
	c, err := pool.GetContext(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = redis.DoContext(c, ctx, "DEL", "tide:"+port)
	return err
}
