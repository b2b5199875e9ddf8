package bad

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// Seat is what the holder gets.
type Seat interface {
	Unlock(ctx context.Context) error
}

// Seats are taken one by one, and somebody may wait for the bell.
type Seats struct{ rdb *redis.Client }

type seat struct {
	rdb       *redis.Client
	row, mine string
}

// Reserve takes a seat for the one who asks first.
func (s *Seats) Reserve(ctx context.Context, row string) (Seat, error) {
	mine := uuid.NewString()
	ok, err := s.rdb.SetNX(ctx, "lock:seat:"+row, mine, time.Minute).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errBusy
	}
	return &seat{s.rdb, "lock:seat:" + row, mine}, nil
}

// Unlock rings the bell in the same batch.
func (s *seat) Unlock(ctx context.Context) error {
	_, err := s.rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Del(ctx, s.row) // want: release
		p.Publish(ctx, s.row+":bell", s.mine)
		return nil
	})
	return err
}

// Visit has the section of a reserved seat in view.
func Visit(ctx context.Context, s *Seats, row string, job Job) error {
	mine, err := s.Reserve(ctx, row) // verdict: unverified
	if err != nil {
		return err
	}
	defer mine.Unlock(context.WithoutCancel(ctx))
	return job.Run(ctx)
}

// Sit frees it itself.
func Sit(ctx context.Context, rdb *redis.Client, id, mine string, job Job) error {
	chair := "lock:chair:" + id
	ok, err := rdb.SetNX(ctx, chair, mine, time.Minute).Result() // verdict: unverified
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer rdb.Pipelined(context.WithoutCancel(ctx), func(p redis.Pipeliner) error {
		p.Unlink(ctx, chair) // want: release
		p.Publish(ctx, chair+":bell", mine)
		return nil
	})
	return job.Run(ctx)
}

// Stand queues on a pipeline that it sends itself.
func Stand(ctx context.Context, rdb *redis.Client, id, mine string, job Job) error {
	stool := "lock:stool:" + id
	ok, err := rdb.SetNX(ctx, stool, mine, time.Minute).Result() // verdict: unverified
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() {
		p := rdb.Pipeline()
		p.Del(ctx, stool) // want: release
		p.Publish(ctx, stool+":bell", mine)
		p.Exec(context.WithoutCancel(ctx))
	}()
	return job.Run(ctx)
}
