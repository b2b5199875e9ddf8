package good

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

func roomKey(house, room string) string { return keyOf(keyOf("house", "{"+house+"}"), "rooms", room) }

var leaveRoom = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Paint locks a room of a house, and no other.
func Paint(ctx context.Context, rdb *redis.Client, db *sql.DB, house, room, colour string) (err error) {
	key, me := keyOf("lock", roomKey(house, room)), uuid.NewString()
	ok, err := rdb.SetNX(ctx, key, me, 20*time.Second).Result() // verdict: unfenced // lock: lock:house:{%s}:rooms:%s 20s
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("being painted")
	}
	defer func() {
		n, e := leaveRoom.Run(context.WithoutCancel(ctx), rdb, []string{keyOf("lock", roomKey(house, room))}, me).Int()
		if e == nil && n == 0 {
			e = errors.New("somebody else painted as well")
		}
		err = errors.Join(err, e)
	}()
	_, err = db.ExecContext(ctx, "UPDATE rooms SET colour = $3, coats = coats + 1 WHERE house = $1 AND room = $2", house, room, colour) // want: unfenced
	return err
}
