package bad

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

var errTimeout = errors.New("lock not taken in time")

// lockKey asks for a key on each tick. A ticker's channel is never closed, so the last line is not reached.
func lockKey(ctx context.Context, rdb *redis.Client, key, me string, ttl, patience time.Duration) error {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for range ticker.C {
		if taken, err := rdb.SetNX(ctx, key, me, ttl).Result(); err != nil {
			return err
		} else if taken {
			return nil
		}
		if patience -= 20 * time.Millisecond; patience <= 0 {
			return errTimeout
		}
	}
	return nil
}

const freeKey = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"

func unlockKey(ctx context.Context, rdb *redis.Client, key, me string) error {
	return rdb.Eval(ctx, freeKey, []string{key}, me).Err()
}

// A Member is one of a cluster.
type Member struct {
	rdb *redis.Client
	db  *sql.DB
	me  string // another one each time it starts
}

// lockState hands on what lockKey says.
func (m *Member) lockState(ctx context.Context, node string) error {
	return lockKey(ctx, m.rdb, "state:"+node, m.me, 5*time.Second, time.Second)
}

func (m *Member) unlockState(ctx context.Context, node string) error {
	return unlockKey(ctx, m.rdb, "state:"+node, m.me)
}

// Vote is two wrappers away from the lock.
func (m *Member) Vote(ctx context.Context, node string) (err error) {
	if err := m.lockState(ctx, node); err != nil { // verdict: unfenced // lock: state:%s 5s
		return err
	}
	defer func() { err = errors.Join(err, m.unlockState(context.WithoutCancel(ctx), node)) }()
	_, err = m.db.ExecContext(ctx, "UPDATE member SET votes = votes + 1 WHERE node = $1", node) // want: unfenced
	return err
}

// await comes back when the key is taken, and so has nothing to tell.
func (m *Member) await(ctx context.Context, node string) {
	for {
		taken, err := m.rdb.SetNX(ctx, "lock:"+node, m.me, time.Minute).Result()
		if err == nil && taken {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Expel waits for its lock.
func (m *Member) Expel(ctx context.Context, node string) (err error) {
	m.await(ctx, node) // verdict: unfenced // lock: lock:%s 1m0s
	defer func() { err = errors.Join(err, unlockKey(context.WithoutCancel(ctx), m.rdb, "lock:"+node, m.me)) }()
	_, err = m.db.ExecContext(ctx, "UPDATE member SET expelled = true WHERE node = $1", node) // want: unfenced
	return err
}

// lockSoon hands on what lockKey says, and has something deferred meanwhile.
func (m *Member) lockSoon(ctx context.Context, node string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if node == "" {
		return errTimeout
	}
	return lockKey(ctx, m.rdb, "soon:"+node, m.me, 5*time.Second, time.Second)
}

// Elect does not wait long.
func (m *Member) Elect(ctx context.Context, node string) (err error) {
	if err := m.lockSoon(ctx, node); err != nil { // verdict: unfenced // lock: soon:%s 5s
		return err
	}
	defer func() { err = errors.Join(err, unlockKey(context.WithoutCancel(ctx), m.rdb, "soon:"+node, m.me)) }()
	_, err = m.db.ExecContext(ctx, "UPDATE member SET leader = true WHERE node = $1", node) // want: unfenced
	return err
}

// Repaint leaves the rest to a function that gives the lock back, and says so first.
func Repaint(ctx context.Context, locker *redislock.Client, db *sql.DB, wall int64) error {
	lease, err := locker.Obtain(ctx, fmt.Sprintf("wall:%d", wall), time.Minute, nil) // verdict: unfenced // lock: wall:%d 1m0s
	if err != nil {
		return err
	}
	return paint(ctx, lease, db, wall)
}

func paint(ctx context.Context, lease *redislock.Lock, db *sql.DB, wall int64) (err error) {
	defer func() { err = errors.Join(err, lease.Release(context.WithoutCancel(ctx))) }()
	_, err = db.ExecContext(ctx, "UPDATE wall SET coats = coats + 1 WHERE id = $1", wall) // want: unfenced
	return err
}
