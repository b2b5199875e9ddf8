package bad

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

var compareAndDelete = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`)

// OwnerColumn: nothing sets owner when the lock is taken, so the comparison says nothing about the lock.
func OwnerColumn(ctx context.Context, locks *redislock.Client, db *sql.DB, id, text string) (err error) {
	lock, err := locks.Obtain(ctx, "lock:letter:"+id, 10*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	const set = "UPDATE letter SET text = $2 WHERE id = $1 AND owner = $3"
	return one(db.ExecContext(ctx, set, id, text, lock.Token())) // want: weakcondition
}

// OwnerOrFree: the first writer puts its own value in, so the column is free for whoever comes first.
func OwnerOrFree(ctx context.Context, rdb *redis.Client, db *sql.DB, id, text string) (err error) {
	key, owner := "lock:card:"+id, rand.Text()
	ok, err := rdb.SetNX(ctx, key, owner, 10*time.Second).Result() // verdict: unfenced
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("busy")
	}
	defer func() {
		_, e := compareAndDelete.Run(context.WithoutCancel(ctx), rdb, []string{key}, owner).Result()
		err = errors.Join(err, e)
	}()

	const set = "UPDATE card SET text = $2, holder = $3 WHERE id = $1 AND (holder = $3 OR holder IS NULL)"
	return one(db.ExecContext(ctx, set, id, text, owner)) // want: weakcondition
}
