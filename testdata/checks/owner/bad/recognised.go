package bad

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strconv"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/redis/go-redis/v9"
)

var errTaken = errors.New("held elsewhere")

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Recognised finds the name of its process in the key and goes on.
func Recognised(ctx context.Context, rdb *redis.Client, work func(context.Context) error) error {
	const key = "lock:recognised"
	me := "pid-" + strconv.Itoa(os.Getpid())
	won, err := rdb.SetNX(ctx, key, me, time.Minute).Result() // want: owner
	if err != nil {
		return err
	}
	if !won {
		there, err := rdb.Get(ctx, key).Result()
		if err != nil {
			return err
		}
		if there != me {
			return errTaken
		}
	}
	defer unlock.Run(context.WithoutCancel(ctx), rdb, []string{key}, me)
	return work(ctx)
}

// Station has a node with the name of the machine in it.
type Station struct{ conn *zk.Conn }

func (s *Station) Man(work func() error) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	name := []byte(host)
	_, err = s.conn.Create("/station", name, zk.FlagEphemeral, zk.WorldACL(zk.PermAll)) // want: owner
	if err == zk.ErrNodeExists {
		there, _, err := s.conn.Get("/station")
		if err != nil {
			return err
		}
		if !bytes.Equal(there, name) {
			return errTaken
		}
	} else if err != nil {
		return err
	}
	defer s.conn.Close()
	return work()
}
