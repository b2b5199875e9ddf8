package bad

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
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

// LockDesk names the floor.
func (d *Desks) LockDesk(ctx context.Context, desk string) (owner string, err error) {
	owner = rand.Text()
	ok, err := d.rdb.SetNX(ctx, d.floor+"/"+desk, owner, time.Minute).Result()
	if err != nil {
		return "", err
	}
	if !ok {
		return "", errBusy
	}
	return owner, nil
}

// UnlockDesk forgets it.
func (d *Desks) UnlockDesk(ctx context.Context, desk, mine string) error {
	n, err := hand.Run(ctx, d.rdb, []string{desk}, mine).Int() // want: keymismatch
	if err == nil && n == 0 {
		err = errGone
	}
	return err
}

// A Locker answers whether it has taken the lock beside who it is.
type Locker struct{ rdb redis.UniversalClient }

// TryLock puts lock: before the name.
func (l *Locker) TryLock(ctx context.Context, name string, ttl time.Duration) (bool, string, error) {
	me := fmt.Sprintf("%d:%s", time.Now().Unix(), rand.Text())
	ok, err := l.rdb.SetNX(ctx, fmt.Sprintf("lock:%s", name), me, ttl).Result()
	return ok, me, err
}

// Unlock does not.
func (l *Locker) Unlock(ctx context.Context, name, me string) error {
	return hand.Run(ctx, l.rdb, []string{name}, me).Err() // want: keymismatch
}
