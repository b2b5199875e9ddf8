package lock

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// Many takes several locks at once, or none.
type Many struct {
	rdb   *redis.Client
	owner string
	keys  []string
}

func NewMany(rdb *redis.Client) *Many { return &Many{rdb: rdb, owner: uuid.NewString()} }

// Lock queues its commands: whether they were taken is in the answers. A contender makes the lease of the holder
// longer.
func (m *Many) Lock(ctx context.Context, ttl time.Duration, keys ...string) (locked bool, err error) {
	for range 5 {
		pipe := m.rdb.TxPipeline()
		for _, k := range keys {
			pipe.SetNX(ctx, "many:"+k, m.owner, 0) // want: acquire
			pipe.Expire(ctx, "many:"+k, ttl)
		}
		answers, err := pipe.Exec(ctx)
		if err != nil {
			return false, err
		}
		outcome := make(map[bool][]string)
		for i, a := range answers {
			if set, ok := a.(*redis.BoolCmd); ok && i%2 == 0 {
				outcome[set.Val()] = append(outcome[set.Val()], "many:"+keys[i/2])
			}
		}
		if len(outcome[false]) == 0 {
			m.keys = outcome[true]
			return true, nil
		}
		m.rdb.Del(ctx, outcome[true]...)
		time.Sleep(100 * time.Millisecond)
	}
	return false, nil
}

func (m *Many) Unlock(ctx context.Context) error {
	for _, k := range m.keys {
		if err := release.Run(ctx, m.rdb, []string{k}, m.owner).Err(); err != nil {
			return err
		}
	}
	return nil
}
