package bad

import (
	"context"
	"database/sql"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var leaveBooth = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Booth has its section in a function of its own, which gives the lock back by a defer:
// what stands after that statement comes before the release.
type Booth struct {
	rdb *redis.Client
	db  *sql.DB
}

// Run stands for election, as it were.
func (b *Booth) Run(ctx context.Context, name string) error {
	for ctx.Err() == nil {
		turn := uuid.NewString()
		won, err := b.rdb.SetNX(ctx, "lock:booth:"+name, turn, time.Minute).Result() // verdict: unfenced
		if err != nil {
			return err
		}
		if won {
			if err := b.serve(ctx, name, turn); err != nil {
				return err
			}
		}
		time.Sleep(time.Second)
	}
	return ctx.Err()
}

func (b *Booth) serve(ctx context.Context, name, turn string) error {
	defer leaveBooth.Run(context.WithoutCancel(ctx), b.rdb, []string{"lock:booth:" + name}, turn)
	_, err := b.db.ExecContext(ctx, "UPDATE booths SET visits = visits + 1 WHERE name = $1", name) // want: unfenced
	return err
}
