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
