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

// Buoys have keys of the form "buoy:%s", and others that are made of them.
func lockOf(buoy string) string  { return strings.Replace(buoy, "buoy", "buoy:lock", 1) }
func lightOf(buoy string) string { return strings.Replace(buoy, "buoy", "buoy:light", 1) }

// Darken puts out the light under the lock: the two keys are made of one.
func (j *Jetty) Darken(ctx context.Context, buoy string) (err error) {
	me := uuid.NewString()
	ok, err := j.rdb.SetNX(ctx, lockOf(buoy), me, time.Minute).Result() // verdict: unfenced // note: redundantlock
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("taken")
	}
	defer func() {
		n, e := cast.Run(context.WithoutCancel(ctx), j.rdb, []string{lockOf(buoy)}, me).Int()
		if e == nil && n == 0 {
			e = errors.New("lost")
		}
		err = errors.Join(err, e)
	}()
	return j.rdb.Del(ctx, lightOf(buoy)).Err() // note: unfenced
}
