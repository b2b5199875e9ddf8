package good

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// under builds all keys of the harbour piece by piece: they begin alike, and differ in what
// they are built of.
func under(parts ...string) string {
	if len(parts) == 0 {
		return "harbour"
	}
	var b strings.Builder
	b.WriteString("harbour")
	for _, p := range parts {
		b.WriteByte(':')
		b.WriteString(p)
	}
	return b.String()
}

var cast = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// A Jetty keeps its boats in a hash beside the lock.
type Jetty struct{ rdb *redis.Client }

func (j *Jetty) moor(ctx context.Context, key string) (func() error, error) {
	me := uuid.NewString()
	ok, err := j.rdb.SetNX(ctx, under(key), me, time.Minute).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errors.New("taken")
	}
	return func() error {
		n, err := cast.Run(context.WithoutCancel(ctx), j.rdb, []string{under(key)}, me).Int()
		if err == nil && n == 0 {
			err = errors.New("lost")
		}
		return err
	}, nil
}

func (j *Jetty) strike(ctx context.Context, table, boat string) error {
	return j.rdb.HDel(ctx, under(table), boat).Err() // note: unfenced
}

// Leave strikes a boat off the list: that is the work, and not the end of the lock.
func (j *Jetty) Leave(ctx context.Context, boat string) (err error) {
	unmoor, err := j.moor(ctx, "lock:"+boat) // verdict: unfenced // note: redundantlock
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unmoor()) }()
	return j.strike(ctx, "boats", boat)
}
