package bad

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

var embark = redis.NewScript(`
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
	return redis.call("INCR", KEYS[2])
end
return 0`)

var ashore = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`)

// A seat is a lock and the number of those who have had it.
type seat struct{ lock, number string }

func seatOf(ferry int) seat {
	return seat{lock: fmt.Sprintf("ferry:{%d}:seat", ferry), number: fmt.Sprintf("ferry:%d:number", ferry)}
}

// Ferry boards one crew at a time.
type Ferry struct{ rdb *redis.ClusterClient }

func (f *Ferry) board(ctx context.Context, s seat, me string) (int64, error) {
	return embark.Run(ctx, f.rdb, []string{s.lock, s.number}, me, time.Minute.Milliseconds()).Int64() // want: crossslot
}

// Cross does what a crew has to do.
func (f *Ferry) Cross(ctx context.Context, ferry int, work func(ctx context.Context, number int64) error) error {
	s, me := seatOf(ferry), rand.Text()
	number, err := f.board(ctx, s, me)
	if err != nil || number == 0 {
		return err
	}
	defer ashore.Run(context.WithoutCancel(ctx), f.rdb, []string{s.lock}, me)
	return work(ctx, number)
}
