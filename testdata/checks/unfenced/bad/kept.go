package bad

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/redis/go-redis/v9"
)

var errTaken = errors.New("somebody else is in there")

// A Cabin is for one at a time. Who has it is told by the key.
type Cabin struct {
	rdb  *redis.Client
	door string
	name string
}

// Lock gives the cabin back unless it comes to its end: only what it says there tells.
func (c *Cabin) Lock(ctx context.Context, guest string) error {
	ok, err := c.rdb.SetNX(ctx, c.door, guest, time.Minute).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errTaken
	}
	stays := false
	defer func() {
		if !stays {
			c.Unlock(context.WithoutCancel(ctx), guest)
		}
	}()
	if c.name, err = c.rdb.HGet(ctx, "guests", guest).Result(); err != nil {
		return err
	}
	stays = true
	return nil
}

var leaveCabin = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func (c *Cabin) Unlock(ctx context.Context, guest string) error {
	n, err := leaveCabin.Run(ctx, c.rdb, []string{c.door}, guest).Int()
	if err == nil && n == 0 {
		err = errTaken
	}
	return err
}

// Bathe notes how often a guest was in the water.
func (c *Cabin) Bathe(ctx context.Context, db *sql.DB, guest string, times int) (err error) {
	if err := c.Lock(ctx, guest); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, c.Unlock(context.WithoutCancel(ctx), guest)) }()
	_, err = db.ExecContext(ctx, "UPDATE guests SET baths = ? WHERE name = ?", times, c.name) // want: unfenced
	return err
}

type shipKey struct{}

// A Pier is for one ship at a time, which comes with the context. The connection to
// ZooKeeper asks for no context.
type Pier struct {
	conn *zk.Conn
	mark string
}

func (p *Pier) Lock(ctx context.Context) error {
	ship, _ := ctx.Value(shipKey{}).(string)
	mark, err := p.conn.Create("/piers/lock", []byte(ship), zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
	if err != nil {
		return err
	}
	p.mark = mark + ctx.Value(shipKey{}).(string)
	return nil
}

func (p *Pier) Unlock(ctx context.Context) error { return p.conn.Delete(p.mark, -1) }

// Moor notes a ship. That the caller has given up does not keep the pier taken.
func (p *Pier) Moor(ctx context.Context, db *sql.DB, ship string) (err error) {
	if err := p.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, p.Unlock(ctx)) }()
	_, err = db.ExecContext(ctx, "UPDATE piers SET ship = ?", ship) // want: unfenced
	return err
}
