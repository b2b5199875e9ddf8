package good

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// TurnLock answers with what the store said.
type TurnLock struct {
	rdb   *redis.Client
	name  string
	owner string
}

func (l *TurnLock) TryLock(ctx context.Context) (bool, error) {
	l.owner = uuid.NewString()
	return l.rdb.SetNX(ctx, "turn:"+l.name, l.owner, 20*time.Second).Result()
}

// Unlock compares under a watch, so that the delete fails where the key has changed.
func (l *TurnLock) Unlock(ctx context.Context) error {
	return l.rdb.Watch(ctx, func(tx *redis.Tx) error {
		owner, err := tx.Get(ctx, "turn:"+l.name).Result()
		if err != nil || owner != l.owner {
			return err
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Del(ctx, "turn:"+l.name)
			return nil
		})
		return err
	}, "turn:"+l.name)
}

// Sessions remembers who is logged in: nothing of it is a lock.
type Sessions struct{ rdb *redis.Client }

func (s *Sessions) Begin(ctx context.Context, id, user string) (bool, error) {
	return s.rdb.SetNX(ctx, "session:"+id, user, time.Hour).Result()
}

func (s *Sessions) End(ctx context.Context, id string) error {
	return s.rdb.Del(ctx, "session:"+id).Err()
}

// seen tells whether somebody else has handled a frame: whoever took the key is told no. It is no lock, though named
// like one, but a marker that runs out.
func seen(ctx context.Context, rdb *redis.Client, lockKey string) (bool, error) {
	set, err := rdb.SetNX(ctx, lockKey, "lock", time.Second).Result()
	if err != nil {
		return false, err
	}
	return !set, nil
}

func forget(ctx context.Context, rdb *redis.Client, lockKey string) error {
	return rdb.Del(ctx, lockKey).Err()
}

// Handle handles a frame once.
func Handle(ctx context.Context, rdb *redis.Client, frame string) error {
	if locked, err := seen(ctx, rdb, "lock:"+frame); err != nil || locked {
		return err
	}
	return forget(ctx, rdb, "frame:"+frame)
}

// list writes down which locks are out, for as long as they may be.
func list(ctx context.Context, rdb *redis.Client, index, key string) error {
	if err := rdb.HSet(ctx, index, key, "1").Err(); err != nil {
		return err
	}
	return rdb.Expire(ctx, index, time.Minute).Err()
}

// Build takes a lock for its callers and lists it.
func Build(ctx context.Context, rdb *redis.Client, part, me string) (bool, error) {
	key := "lock:part:" + part
	taken, err := rdb.SetNX(ctx, key, me, time.Minute).Result()
	if err != nil || !taken {
		return false, err
	}
	return true, list(ctx, rdb, "lock:index:"+part, key)
}

// Built gives it back.
func Built(ctx context.Context, rdb *redis.Client, part, me string) error {
	const drop = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
	return rdb.Eval(ctx, drop, []string{"lock:part:" + part}, me).Err()
}
