package bad

import (
	"context"
	"crypto/rand"
	"database/sql"
	"time"

	"github.com/redis/go-redis/v9"
)

var endTerm = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Preside stands for the chair again and again. Whoever gets it opens the session, and whoever
// has it goes on.
func Preside(ctx context.Context, rdb *redis.Client, db *sql.DB) error {
	me := rand.Text()
	defer endTerm.Run(context.WithoutCancel(ctx), rdb, []string{"lock:chair"}, me)
	chairs := false
	for ctx.Err() == nil {
		got, err := rdb.SetNX(ctx, "lock:chair", me, 20*time.Second).Result() // verdict: unfenced
		if err != nil {
			return err
		}
		if got && !chairs {
			if _, err := db.ExecContext(ctx, "UPDATE sessions SET chair = $1 WHERE closed = false", me); err != nil { // want: unfenced
				return err
			}
		}
		chairs = got
		time.Sleep(5 * time.Second)
	}
	return nil
}
