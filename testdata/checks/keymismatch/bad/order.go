package bad

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/redis/go-redis/v9"
)

// checksum makes a number of words.
func checksum(words ...string) int64 {
	h := crc32.NewIEEE()
	for _, w := range words {
		h.Write([]byte(w))
	}
	return int64(h.Sum32())
}

// Summed adds its words up in another order at the end.
func Summed(ctx context.Context, conn *sql.Conn, shop, part string, job Job) error {
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", checksum(shop, part)); err != nil { // verdict: unverified
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", checksum(part, shop)) // want: keymismatch
	return job.Run(ctx)
}

// Formatted puts the same into one format.
func Formatted(ctx context.Context, rdb *redis.Client, shop, part, owner string, job Job) error {
	ok, err := rdb.SetNX(ctx, fmt.Sprintf("lock:formatted:%s:%s", shop, part), owner, time.Minute).Result() // verdict: unverified
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer drop.Run(context.WithoutCancel(ctx), rdb, []string{fmt.Sprintf("lock:formatted:%s:%s", part, shop)}, owner) // want: keymismatch
	return job.Run(ctx)
}

// TagLock keeps its key and what it stores there.
type TagLock struct {
	rdb *redis.Client
	key string
	ttl time.Duration
	tag string
}

func (l *TagLock) Lock(ctx context.Context) error {
	tag := rand.Text()
	ok, err := l.rdb.SetNX(ctx, l.key, tag, l.ttl).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	l.tag = tag
	return nil
}

// Unlock deletes the tag.
func (l *TagLock) Unlock(ctx context.Context) error {
	now, err := l.rdb.Get(ctx, l.key).Result()
	if err != nil || now != l.tag {
		return errors.Join(err, errBusy)
	}
	return l.rdb.Del(ctx, l.tag).Err() // want: keymismatch,release
}

// Tagged holds a lock whose key it is not told.
func Tagged(ctx context.Context, l *TagLock, job Job) (err error) {
	if err := l.Lock(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, l.Unlock(context.WithoutCancel(ctx))) }()
	return job.Run(ctx)
}
