package bad

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// keyOf makes a key of its parts.
func keyOf(parts ...string) string { return strings.Join(parts, ":") }

var leaveStable = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Feed locks the stall of a horse, and frees what has no lock in its name.
func Feed(ctx context.Context, rdb *redis.Client, db *sql.DB, stable, horse string) (err error) {
	me := uuid.NewString()
	ok, err := rdb.SetNX(ctx, keyOf("lock", stable, horse), me, 20*time.Second).Result() // verdict: unfenced // lock: lock:%s:%s 20s
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("being fed")
	}
	defer func() {
		n, e := leaveStable.Run(context.WithoutCancel(ctx), rdb, []string{keyOf(stable, horse)}, me).Int() // want: keymismatch
		if e == nil && n == 0 {
			e = errors.New("somebody else fed it as well")
		}
		err = errors.Join(err, e)
	}()
	_, err = db.ExecContext(ctx, "UPDATE horses SET fed = fed + 1 WHERE name = $1", horse) // want: unfenced
	return err
}
