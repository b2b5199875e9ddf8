package bad

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

// Moor puts a ship to a berth for as long as it is unloaded: the owner is made here, and
// the berth taken by a function that is given it.
func Moor(ctx context.Context, pool *redis.Pool, berth string, unload func(context.Context) error) (err error) {
	ship := rand.Text()
	if err := dock(ctx, pool, "berth:"+berth, ship, time.Minute); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, undock(context.WithoutCancel(ctx), pool, "berth:"+berth, ship)) }()
	return unload(ctx)
}

// dock takes an empty answer for an error, which it is not.
func dock(ctx context.Context, pool *redis.Pool, berth, ship string, stay time.Duration) error {
	c, err := pool.GetContext(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := redis.DoContext(c, ctx, "SET", berth, ship, "PX", stay.Milliseconds(), "NX"); err != nil { // want: acquire
		if errors.Is(err, redis.ErrNil) {
			return errOccupied
		}
		return err
	}
	return nil
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

// A Pier keeps berth and ship.
type Pier struct {
	conn        redis.Conn
	berth, ship string
}

func (p *Pier) in() error {
	_, err := p.conn.Do("SET", p.berth, p.ship, "EX", 60, "NX") // want: acquire
	return err
}

func (p *Pier) out() error {
	n, err := redis.Int(castOff.Do(p.conn, p.berth, p.ship))
	if err == nil && n == 0 {
		err = errors.New("berth was given to another ship")
	}
	return err
}

// Load is alone at the pier, or so it believes.
func (p *Pier) Load(load func() error) (err error) {
	if err := p.in(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.out()) }()
	return load()
}
