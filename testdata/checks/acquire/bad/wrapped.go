package bad

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// explained says of an error what was tried.
func explained(err error, what string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Locks of a canal, which boats queue for.
type Locks struct {
	rdb *redis.Client
	db  *sql.DB
}

func (l *Locks) lockGate(ctx context.Context, gate string) (bool, error) {
	return l.rdb.SetNX(ctx, "lock:gate:"+gate, "boat", time.Minute).Result()
}

func (l *Locks) unlockGate(ctx context.Context, gate string) error {
	return l.rdb.Del(ctx, "lock:gate:"+gate).Err() // want: release
}

// Pass puts a boat that has to wait into the queue, and lets it pass. That it explains the
// error to its callers does not mean that they ask for the rest.
func (l *Locks) Pass(ctx context.Context, gate, boat string) error {
	ok, err := l.lockGate(ctx, gate) // want: acquire // note: release // verdict: unfenced
	if err != nil {
		return explained(err, "gate "+gate)
	}
	if !ok {
		if err := l.rdb.RPush(ctx, "queue:"+gate, boat).Err(); err != nil {
			return explained(err, "queue")
		}
	}
	defer l.unlockGate(context.WithoutCancel(ctx), gate) // want: release
	_, err = l.db.ExecContext(ctx, "UPDATE boats SET passed = passed + 1 WHERE name = $1", boat)
	return explained(err, "boat "+boat)
}
