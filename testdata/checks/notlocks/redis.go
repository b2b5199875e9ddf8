// Package notlocks looks as if it took distributed locks and takes none.
//
// Verdict: no lock site.
package notlocks

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"
	goredis "github.com/redis/go-redis/v9"
)

// Fill writes a cache entry unless somebody was quicker.
func Fill(ctx context.Context, rdb *goredis.Client, db *sql.DB, id string) (name string, err error) {
	key := "cache:name:" + id
	name, err = rdb.Get(ctx, key).Result()
	if !errors.Is(err, goredis.Nil) {
		return name, err
	}
	if err := db.QueryRowContext(ctx, "SELECT name FROM person WHERE id = $1", id).Scan(&name); err != nil {
		return "", err
	}
	if err := rdb.SetNX(ctx, key, name, time.Hour).Err(); err != nil {
		return "", err
	}
	return name, nil
}

// Deliver handles each message once; the marker is left to expire.
func Deliver(ctx context.Context, rdb *goredis.Client, db *sql.DB, message string, body []byte) error {
	first, err := rdb.SetNX(ctx, "seen:"+message, 1, 24*time.Hour).Result()
	if err != nil {
		return err
	}
	if !first {
		return nil
	}
	_, err = db.ExecContext(ctx, "INSERT INTO inbox (id, body) VALUES ($1, $2)", message, body)
	return err
}

// Pay answers a repeated request with its first result: an idempotency key.
func Pay(ctx context.Context, rdb *goredis.Client, db *sql.DB, request []byte) error {
	sum := sha256.Sum256(request)
	key := "idempotency:" + hex.EncodeToString(sum[:])
	fresh, err := rdb.SetNX(ctx, key, "pending", 48*time.Hour).Result()
	if err != nil {
		return err
	}
	if !fresh {
		return nil
	}
	if _, err := db.ExecContext(ctx, "INSERT INTO payment (request) VALUES ($1)", request); err != nil {
		return err
	}
	return rdb.Set(ctx, key, "done", 48*time.Hour).Err()
}

// Allow counts the requests of a minute.
func Allow(ctx context.Context, rdb *goredis.Client, user string, limit int64) (bool, error) {
	key := fmt.Sprintf("rate:%s:%d", user, time.Now().Unix()/60)
	n, err := rdb.Incr(ctx, key).Result()
	if err != nil {
		return false, err
	}
	if n == 1 {
		if err := rdb.Expire(ctx, key, time.Minute).Err(); err != nil {
			return false, err
		}
	}
	return n <= limit, nil
}

// Remind sends at most one mail a day; the window is never given back.
func Remind(ctx context.Context, rdb *goredis.Client, user string, send func(context.Context, string) error) error {
	due, err := rdb.SetNX(ctx, "reminded:"+user, time.Now().Format(time.DateOnly), 24*time.Hour).Result()
	if err != nil || !due {
		return err
	}
	return send(ctx, user)
}

// Pause sets a flag that an operator takes away again.
func Pause(ctx context.Context, rdb *goredis.Client, queue, reason string) error {
	return rdb.SetNX(ctx, "paused:"+queue, reason, 0).Err()
}

func Resume(ctx context.Context, rdb *goredis.Client, queue string) error {
	return rdb.Del(ctx, "paused:"+queue).Err()
}

// Beat tells that this node is alive.
func Beat(ctx context.Context, rdb *goredis.Client, node string) error {
	return rdb.Set(ctx, "alive:"+node, time.Now().Unix(), 15*time.Second).Err()
}

// Name gives a short name to a long address, once and for all.
func Name(conn redis.Conn, short, long string) (bool, error) {
	n, err := redis.Int(conn.Do("SETNX", "short:"+short, long))
	return n == 1, err
}

// Default keeps what is configured already.
func Default(conn redis.Conn, setting, value string) error {
	_, err := conn.Do("SET", "setting:"+setting, value, "NX")
	if errors.Is(err, redis.ErrNil) {
		return nil
	}
	return err
}

// Handle notes that a message was handled, and forgets it again where handling it failed.
func Handle(ctx context.Context, rdb *goredis.Client, id string, handle func(context.Context) error) error {
	first, err := rdb.SetNX(ctx, "seen:"+id, 1, 24*time.Hour).Result()
	if err != nil || !first {
		return err
	}
	if err := handle(ctx); err != nil {
		rdb.Del(context.WithoutCancel(ctx), "seen:"+id)
		return err
	}
	return nil
}
