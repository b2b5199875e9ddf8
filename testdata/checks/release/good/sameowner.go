package good

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var leaveTap = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Taps fills the glass of a guest at a tap.
type Taps struct {
	rdb *redis.Client
	db  *sql.DB
}

func (p *Taps) tryLock(ctx context.Context, key, owner string) bool {
	ok, err := p.rdb.SetNX(ctx, key, owner, 10*time.Second).Result()
	return err == nil && ok
}

func (p *Taps) unlock(ctx context.Context, key, owner string) {
	leaveTap.Run(ctx, p.rdb, []string{key}, owner)
}

// Fill compares the owner with a name that has a part of its own: to free what it has not
// got does nothing.
func (p *Taps) Fill(ctx context.Context, tap int) error {
	key, owner := fmt.Sprintf("lock:tap:%d", tap), fmt.Sprintf("tap-%d-%s", tap, uuid.NewString())
	taken := p.tryLock(ctx, key, owner) // verdict: unfenced
	defer p.unlock(context.WithoutCancel(ctx), key, owner)
	if !taken {
		return fmt.Errorf("tap %d is taken", tap)
	}
	_, err := p.db.ExecContext(ctx, "UPDATE taps SET filled = filled + 1 WHERE id = $1", tap) // want: unfenced
	return err
}
