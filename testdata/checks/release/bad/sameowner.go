package bad

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

var leavePump = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Pumps fills the tank of a car at a pump.
type Pumps struct {
	rdb *redis.Client
	db  *sql.DB
}

func (p *Pumps) tryLock(ctx context.Context, key, owner string) bool {
	ok, err := p.rdb.SetNX(ctx, key, owner, 10*time.Second).Result()
	return err == nil && ok
}

func (p *Pumps) unlock(ctx context.Context, key, owner string) {
	leavePump.Run(ctx, p.rdb, []string{key}, owner) // want: release
}

// Fill compares the owner with a name that all have who want the pump, and gives the lock
// back whether or not it has got it.
func (p *Pumps) Fill(ctx context.Context, pump int) error {
	key, owner := fmt.Sprintf("lock:pump:%d", pump), fmt.Sprintf("pump-%d", pump)
	taken := p.tryLock(ctx, key, owner)                    // verdict: unfenced
	defer p.unlock(context.WithoutCancel(ctx), key, owner) // want: release
	if !taken {
		return fmt.Errorf("pump %d is taken", pump)
	}
	_, err := p.db.ExecContext(ctx, "UPDATE pumps SET filled = filled + 1 WHERE id = $1", pump) // want: unfenced
	return err
}
