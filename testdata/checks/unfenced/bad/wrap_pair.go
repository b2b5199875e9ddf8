package bad

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// CartLock is a method pair over SET NX.
type CartLock struct {
	rdb   *redis.Client
	key   string
	owner string
	ttl   time.Duration
}

func NewCartLock(rdb *redis.Client, cart string, ttl time.Duration) *CartLock {
	return &CartLock{rdb: rdb, key: "lock:cart:" + cart, owner: rand.Text(), ttl: ttl}
}

func (l *CartLock) Lock(ctx context.Context) error {
	ok, err := l.rdb.SetNX(ctx, l.key, l.owner, l.ttl).Result()
	if err == nil && !ok {
		err = errBusy
	}
	return err
}

func (l *CartLock) Unlock(ctx context.Context) error { return free(ctx, l.rdb, l.key, l.owner) }

// Checkout: the constructor makes the lock, its methods take it and give it back.
func Checkout(ctx context.Context, rdb *redis.Client, db *sql.DB, cart string, total int64) (err error) {
	l := NewCartLock(rdb, cart, 10*time.Second)
	if err := l.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, l.Unlock(ctx)) }()

	_, err = db.ExecContext(ctx, "UPDATE cart SET state = 'ordered', total = $2 WHERE id = $1", cart, total) // want: unfenced
	return err
}

// CartService holds the lock in a field and takes it by key.
type CartService struct {
	db    *sql.DB
	locks *CartLocks
}

// CartLocks is a pair by key: nothing but the key names the lock.
type CartLocks struct {
	rdb   *redis.Client
	owner string // this process; the key alone tells its sections apart
}

func (c *CartLocks) tryLock(ctx context.Context, key string) (bool, error) {
	return c.rdb.SetNX(ctx, "lock:"+key, c.owner, 10*time.Second).Result()
}

func (c *CartLocks) unlock(ctx context.Context, key string) error {
	return free(ctx, c.rdb, "lock:"+key, c.owner)
}

func (s *CartService) Discount(ctx context.Context, cart string, percent int) (err error) {
	ok, err := s.locks.tryLock(ctx, cart) // verdict: unfenced
	if err != nil || !ok {
		return errors.Join(errBusy, err)
	}
	defer func() { err = errors.Join(err, s.locks.unlock(ctx, cart)) }()

	_, err = s.db.ExecContext(ctx, "UPDATE cart_discount SET percent = $2 WHERE cart = $1", cart, percent) // want: unfenced
	return err
}
