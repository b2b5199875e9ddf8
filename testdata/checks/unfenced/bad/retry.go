package bad

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Reprice tries a few times before it gives up, in the function that also writes.
func Reprice(ctx context.Context, rdb *redis.Client, db *sql.DB, article string, cents int64) (err error) {
	key, owner := "lock:price:"+article, rand.Text()
	held := false
	for attempt := 0; attempt < 5 && !held; attempt++ {
		if attempt > 0 {
			time.Sleep(20 * time.Millisecond)
		}
		held, err = rdb.SetNX(ctx, key, owner, 5*time.Second).Result() // verdict: unfenced
		if err != nil {
			return err
		}
	}
	if !held {
		return errBusy
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, key, owner)) }()

	_, err = db.ExecContext(ctx, "UPDATE price SET cents = $2 WHERE article = $1", article, cents) // want: unfenced
	return err
}
