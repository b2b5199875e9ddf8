package good

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Shelves keep everything in one store: the topic of each shelf, and its lock.
type Shelves struct{ rdb *redis.Client }

var errShelfTaken = errors.New("somebody sorts that shelf")

func (s *Shelves) lock(ctx context.Context, shelf, who string) error {
	ok, err := s.rdb.SetNX(ctx, "lock:shelf:"+shelf, who, 30*time.Second).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errShelfTaken
	}
	return nil
}

func (s *Shelves) unlock(ctx context.Context, shelf, who string) error {
	return putBack.Run(ctx, s.rdb, []string{"lock:shelf:" + shelf}, who).Err()
}

var putBack = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func (s *Shelves) topic(ctx context.Context, shelf string) (string, error) {
	return s.rdb.Get(ctx, "topic:"+shelf).Result()
}

// forget drops what is kept of a topic that the store itself has named.
func (s *Shelves) forget(ctx context.Context, topic string) error {
	return s.rdb.Del(ctx, "books:"+topic).Err()
}

// Sort drops the topic of a shelf: that frees no lock.
func (s *Shelves) Sort(ctx context.Context, shelf, who string) (err error) {
	topic, err := s.topic(ctx, shelf)
	if err != nil {
		return err
	}
	if err := s.lock(ctx, shelf, who); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, s.unlock(context.WithoutCancel(ctx), shelf, who)) }()
	if err := s.forget(ctx, topic); err != nil {
		return err
	}
	return s.rdb.Set(ctx, "sorted:"+shelf, who, 0).Err() // want: unfenced
}
