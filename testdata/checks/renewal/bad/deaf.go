package bad

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/consul/api"
	"github.com/redis/go-redis/v9"
	"gorm.io/gorm"
)

// A lease that is lost makes no error of its renewal, which finds no row, session or
// key to extend: all of these look at the error alone.

// Helm is a row of gorm's.
type Helm struct {
	db        *gorm.DB
	ship, who string
}

// Take sets one at the helm.
func Take(ctx context.Context, db *gorm.DB, ship string) (*Helm, error) {
	h := &Helm{db: db, ship: ship, who: rand.Text()}
	res := db.WithContext(ctx).Exec(`INSERT INTO helms (ship, owner, until) VALUES (?, ?, now() + interval '1 minute')
		ON CONFLICT (ship) DO UPDATE SET owner = excluded.owner, until = excluded.until WHERE helms.until < now()`, h.ship, h.who)
	if res.Error != nil {
		return nil, res.Error
	}
	if res.RowsAffected == 0 {
		return nil, errBusy
	}
	return h, nil
}

func (h *Helm) stay(ctx context.Context) error {
	err := h.db.WithContext(ctx).Exec("UPDATE helms SET until = now() + interval '1 minute' WHERE ship = ? AND owner = ?", h.ship, h.who).Error // want: renewal
	if err != nil {
		return fmt.Errorf("helm: %w", err)
	}
	return nil
}

func (h *Helm) leave(ctx context.Context) error {
	res := h.db.WithContext(ctx).Exec("DELETE FROM helms WHERE ship = ? AND owner = ?", h.ship, h.who)
	if res.Error == nil && res.RowsAffected == 0 {
		return errBusy
	}
	return res.Error
}

// Steer steers a ship.
func Steer(ctx context.Context, db *gorm.DB, ship string, turn func(context.Context) error) error {
	h, err := Take(ctx, db, ship) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.leave(context.WithoutCancel(ctx))) }()
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go every(held, lost, h.stay)
	return turn(held)
}

func every(ctx context.Context, lost context.CancelCauseFunc, renew func(context.Context) error) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(15 * time.Second):
		}
		if err := renew(ctx); err != nil {
			lost(err)
			return
		}
	}
}

// keepBerth is the same of database/sql.
func keepBerth(ctx context.Context, b *Berth) error {
	_, err := b.db.ExecContext(ctx, "UPDATE berths SET until = now() + interval '1 minute' WHERE quay = $1 AND owner = $2", b.quay, b.ship) // want: renewal
	return err
}

// Repair keeps its berth meanwhile.
func Repair(ctx context.Context, db *sql.DB, quay string, hammer func(context.Context) error) error {
	b, err := Moor(ctx, db, quay) // verdict: unverified
	if err != nil {
		return err
	}
	defer b.Leave(context.WithoutCancel(ctx))
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() {
		for held.Err() == nil {
			time.Sleep(15 * time.Second)
			if err := keepBerth(held, b); err != nil {
				lost(err)
			}
		}
	}()
	return hammer(held)
}

// Chair renews a session of Consul by itself.
type Chair struct {
	client  *api.Client
	session string
}

// Preside talks as long as the session lives.
func (c *Chair) Preside(ctx context.Context, talk func(context.Context) error) error {
	ok, _, err := c.client.KV().Acquire(&api.KVPair{Key: "chair", Session: c.session}, nil)
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer c.client.KV().Release(&api.KVPair{Key: "chair", Session: c.session}, nil)
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() {
		for {
			select {
			case <-held.Done():
				return
			case <-time.After(5 * time.Second):
				if _, _, err := c.client.Session().Renew(c.session, nil); err != nil { // want: renewal
					lost(err)
					return
				}
			}
		}
	}()
	return talk(held)
}

var prolong = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`)

// Sing keeps the stage by a script that answers with a number.
func Sing(ctx context.Context, rdb *redis.Client, sound func(context.Context) error) error {
	me := rand.Text()
	ok, err := rdb.SetNX(ctx, "stage", me, time.Minute).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer compareAndDelete.Run(context.WithoutCancel(ctx), rdb, []string{"stage"}, me)
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() {
		for held.Err() == nil {
			time.Sleep(15 * time.Second)
			if err := prolong.Run(held, rdb, []string{"stage"}, me, 60000).Err(); err != nil { // want: renewal
				lost(err)
			}
		}
	}()
	return sound(held)
}

// Gavel is held by whoever has the session that its key names.
type Gavel struct {
	client  *api.Client
	session string
	holding func(bool)
}

// Rap takes the gavel once, and only renews its session from then on.
func (g *Gavel) Rap(ctx context.Context) error {
	ok, _, err := g.client.KV().Acquire(&api.KVPair{Key: "gavel", Session: g.session}, nil) // verdict: unverified
	if err != nil || !ok {
		return err
	}
	g.holding(true)
	defer g.client.KV().Release(&api.KVPair{Key: "gavel", Session: g.session}, nil)
	for range time.Tick(5 * time.Second) {
		if _, _, err := g.client.Session().Renew(g.session, nil); err != nil { // want: renewal
			g.holding(false)
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
