package bad

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// lockInfo is a lock whose deadline is a number of seconds.
type lockInfo struct {
	holder   string
	deadline int64
}

func (l lockInfo) stale() bool {
	return time.Now().Unix() > l.deadline // want: wallclock
}

// millis: the classic lock that keeps its deadline as the value of the key.
func millis(ctx context.Context, rdb *redis.Client, lockKey string, ttl time.Duration) error {
	until := time.Now().Add(ttl).UnixMilli()
	ok, err := rdb.SetNX(ctx, lockKey, until, 0).Result()
	if err != nil {
		return err
	}
	if ok {
		return nil
	}
	old, err := rdb.Get(ctx, lockKey).Int64()
	if err != nil {
		return err
	}
	if old > time.Now().UnixMilli() { // want: wallclock
		return errBusy
	}
	prev, err := rdb.GetSet(ctx, lockKey, until).Int64()
	if err != nil {
		return err
	}
	if prev != old {
		return errBusy
	}
	return nil
}

// Leader reads the leader's row and judges it by the clock of this machine.
type Leader struct {
	db *sql.DB
	me string
}

func (l *Leader) Challenge(ctx context.Context) error {
	var leader string
	var leaseUntil time.Time
	row := l.db.QueryRowContext(ctx, "SELECT leader, lease_until FROM leadership")
	if err := row.Scan(&leader, &leaseUntil); err != nil {
		return err
	}
	if time.Now().Before(leaseUntil) { // want: wallclock
		return errBusy
	}
	res, err := l.db.ExecContext(ctx, "UPDATE leadership SET leader = $1, lease_until = $2 WHERE leader = $3 AND lease_until = $4",
		l.me, time.Now().Add(15*time.Second), leader, leaseUntil)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errBusy, err)
	}
	return nil
}

// lockAlive: a heartbeat in text form decides whether a lock's holder is alive.
func lockAlive(ctx context.Context, rdb *redis.Client, lockKey string, lease time.Duration) (bool, error) {
	text, err := rdb.HGet(ctx, lockKey, "heartbeat").Result()
	if err != nil {
		return false, err
	}
	beat, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return false, err
	}
	return time.Since(beat) < lease, nil // want: wallclock
}

// mustRenew: a subtraction of seconds.
func mustRenew(ctx context.Context, rdb *redis.Client, leaseKey string, ttl time.Duration) (bool, error) {
	text, err := rdb.HGet(ctx, leaseKey, "renewed").Result()
	if err != nil {
		return false, err
	}
	renewed, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return false, err
	}
	return time.Now().Unix()-renewed > int64(ttl.Seconds())/3, nil // want: wallclock
}

// Lasts asks for one thing in two parts.
func (l lockInfo) Lasts(least int64) bool {
	now := time.Now().Unix()
	if now < l.deadline && // want: wallclock
		now+least <= l.deadline {
		return true
	}
	return false
}
