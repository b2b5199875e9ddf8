package good

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/hashicorp/consul/api"
	"github.com/redis/go-redis/v9"
	"gorm.io/gorm"
)

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
		return nil, errors.New("somebody steers")
	}
	return h, nil
}

// stay asks for the error and the rows of the object that it gets.
func (h *Helm) stay(ctx context.Context) error {
	res := h.db.WithContext(ctx).Exec("UPDATE helms SET until = now() + interval '1 minute' WHERE ship = ? AND owner = ?", h.ship, h.who)
	if res.Error != nil || res.RowsAffected == 0 {
		return errors.Join(errLost, res.Error)
	}
	return nil
}

// sit reads whose the helm is after it.
func (h *Helm) sit(ctx context.Context) error {
	err := h.db.WithContext(ctx).Exec("UPDATE helms SET until = now() + interval '1 minute' WHERE ship = ? AND owner = ?", h.ship, h.who).Error
	if err != nil {
		return err
	}
	var who string
	if err := h.db.WithContext(ctx).Raw("SELECT owner FROM helms WHERE ship = ?", h.ship).Scan(&who).Error; err != nil {
		return err
	}
	if who != h.who {
		return errLost
	}
	return nil
}

func (h *Helm) leave(ctx context.Context) error {
	res := h.db.WithContext(ctx).Exec("DELETE FROM helms WHERE ship = ? AND owner = ?", h.ship, h.who)
	if res.Error == nil && res.RowsAffected == 0 {
		return errLost
	}
	return res.Error
}

// Steer steers a ship.
func Steer(ctx context.Context, db *gorm.DB, ship string, calm bool, turn func(context.Context) error) error {
	h, err := Take(ctx, db, ship) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.leave(context.WithoutCancel(ctx))) }()
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() {
		for held.Err() == nil {
			time.Sleep(15 * time.Second)
			renew := h.stay
			if calm {
				renew = h.sit
			}
			if err := renew(held); err != nil {
				lost(err)
			}
		}
	}()
	return turn(held)
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
		return errLost
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
				entry, _, err := c.client.Session().Renew(c.session, nil)
				if err != nil || entry == nil {
					lost(errors.Join(errLost, err))
					return
				}
			}
		}
	}()
	return talk(held)
}

var (
	compareAndDelete = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
	prolong          = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`)
	insist           = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return redis.error_reply("lost")`)
)

// Sing asks for the number, or for an error where the script makes one.
func Sing(ctx context.Context, rdb *redis.Client, loud bool, sound func(context.Context) error) error {
	me := rand.Text()
	ok, err := rdb.SetNX(ctx, "stage", me, time.Minute).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errLost
	}
	defer compareAndDelete.Run(context.WithoutCancel(ctx), rdb, []string{"stage"}, me)
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() {
		for held.Err() == nil {
			time.Sleep(15 * time.Second)
			if loud {
				if err := insist.Run(held, rdb, []string{"stage"}, me, 60000).Err(); err != nil {
					lost(err)
				}
				continue
			}
			if n, err := prolong.Run(held, rdb, []string{"stage"}, me, 60000).Int(); err != nil || n == 0 {
				lost(errors.Join(errLost, err))
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

// Rap renews the session and takes the gavel again in each turn: that fails with a session
// that is gone.
func (g *Gavel) Rap(ctx context.Context) error {
	for range time.Tick(5 * time.Second) {
		if _, _, err := g.client.Session().Renew(g.session, nil); err != nil {
			g.holding(false)
			return err
		}
		ok, _, err := g.client.KV().Acquire(&api.KVPair{Key: "gavel", Session: g.session}, nil)
		g.holding(err == nil && ok)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
