package good

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	errGone = errors.New("gone before it was given back")
	hand    = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`)
)

// Desks tells whoever takes one its owner, by which it is given back.
type Desks struct {
	rdb   *redis.Client
	floor string
}

func (d *Desks) key(desk string) string { return d.floor + "/" + desk }

// LockDesk names the floor.
func (d *Desks) LockDesk(ctx context.Context, desk string) (owner string, err error) {
	owner = rand.Text()
	ok, err := d.rdb.SetNX(ctx, d.key(desk), owner, time.Minute).Result()
	if err != nil {
		return "", err
	}
	if !ok {
		return "", errBusy
	}
	return owner, nil
}

// UnlockDesk does, too.
func (d *Desks) UnlockDesk(ctx context.Context, desk, mine string) error {
	n, err := hand.Run(ctx, d.rdb, []string{d.key(desk)}, mine).Int()
	if err == nil && n == 0 {
		err = errGone
	}
	return err
}

// Lockers tells the key as well as the owner: it is the key that is handed back.
type Lockers struct {
	rdb   *redis.Client
	floor string
}

// LockDesk returns both.
func (l *Lockers) LockDesk(ctx context.Context, door string) (key, owner string, err error) {
	key, owner = l.floor+"/"+door, rand.Text()
	ok, err := l.rdb.SetNX(ctx, key, owner, time.Minute).Result()
	if err != nil {
		return "", "", err
	}
	if !ok {
		return "", "", errBusy
	}
	return key, owner, nil
}

// UnlockDesk is given both.
func (l *Lockers) UnlockDesk(ctx context.Context, door, mine string) error {
	n, err := hand.Run(ctx, l.rdb, []string{door}, mine).Int()
	if err == nil && n == 0 {
		err = errGone
	}
	return err
}
