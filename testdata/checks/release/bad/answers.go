package bad

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// TurnLock answers with what the store said, so nothing in it asks.
type TurnLock struct {
	rdb   *redis.Client
	name  string
	owner string
}

func (l *TurnLock) TryLock(ctx context.Context) (bool, error) {
	l.owner = uuid.NewString()
	return l.rdb.SetNX(ctx, "turn:"+l.name, l.owner, 20*time.Second).Result()
}

// Unlock compares in one step and deletes in the next.
func (l *TurnLock) Unlock(ctx context.Context) error {
	owner, err := l.rdb.Get(ctx, "turn:"+l.name).Result()
	if err == redis.Nil || err == nil && owner != l.owner {
		return nil
	}
	if err != nil {
		return err
	}
	return l.rdb.Del(ctx, "turn:"+l.name).Err() // want: release
}
