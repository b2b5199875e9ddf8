package bad

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"

	"github.com/gomodule/redigo/redis"
)

var redigoRelease = redis.NewScript(1, `
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`)

// NextNumber: a raw SET with NX and PX over redigo; the number is read, incremented and written back.
func NextNumber(ctx context.Context, pool *redis.Pool, db *sql.DB, series string) (number int64, err error) {
	conn, err := pool.GetContext(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Close()

	key, owner := "lock:series:"+series, rand.Text()
	_, err = redis.String(conn.Do("SET", key, owner, "NX", "PX", 15000)) // verdict: unfenced
	if errors.Is(err, redis.ErrNil) {
		return 0, errBusy
	}
	if err != nil {
		return 0, err
	}
	defer func() {
		n, e := redis.Int(redigoRelease.Do(conn, key, owner))
		if e == nil && n == 0 {
			e = errLost
		}
		err = errors.Join(err, e)
	}()

	if err := db.QueryRowContext(ctx, "SELECT last FROM series WHERE name = ?", series).Scan(&number); err != nil {
		return 0, err
	}
	number++
	_, err = db.ExecContext(ctx, "UPDATE series SET last = ? WHERE name = ?", number, series) // want: unfenced
	return number, err
}
