package good

import (
	"context"
	"crypto/rand"
	"database/sql"
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

// Summed adds up the same both times.
func Summed(ctx context.Context, conn *sql.Conn, shop, part string, job Job) error {
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", checksum(shop, part)); err != nil { // verdict: unverified
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", checksum(shop, part))
	return job.Run(ctx)
}

// Latch deletes its key, and forgets what it stored there.
type Latch struct {
	rdb *redis.Client
	key string
	ttl time.Duration
	tag string
}

func (l *Latch) Lock(ctx context.Context) error {
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

func (l *Latch) Unlock(ctx context.Context) error {
	err := drop.Run(ctx, l.rdb, []string{l.key}, l.tag).Err()
	l.tag = ""
	return err
}
