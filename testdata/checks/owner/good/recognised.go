package good

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/redis/go-redis/v9"
)

var errTaken = errors.New("held elsewhere")

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Recognised knows a name that it made up itself.
func Recognised(ctx context.Context, rdb *redis.Client, work func(context.Context) error) error {
	const key = "lock:recognised"
	me := rand.Text()
	won, err := rdb.SetNX(ctx, key, me, time.Minute).Result()
	if err != nil {
		return err
	}
	if !won { // or the answer was lost, and the client has sent it again
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

// Station has the name of the machine in its node, and goes by the session.
type Station struct{ conn *zk.Conn }

func (s *Station) Man(work func() error) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	_, err = s.conn.Create("/station", []byte(host), zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
	if err == zk.ErrNodeExists {
		_, stat, err := s.conn.Get("/station")
		if err != nil {
			return err
		}
		if stat.EphemeralOwner != s.conn.SessionID() {
			return errTaken
		}
	} else if err != nil {
		return err
	}
	defer s.conn.Close()
	return work()
}
