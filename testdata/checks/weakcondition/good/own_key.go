package good

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// Desk lends its papers, one reader at a time. The lock and the papers are in one Redis.
type Desk struct{ rdb *redis.Client }

// rewrite writes by one command on two ways, when it has asked who has the paper.
var rewrite = redis.NewScript(`
if redis.call("GET", KEYS[1]) ~= ARGV[1] then
	return 0
end
if ARGV[3] then
	redis.call("SET", KEYS[2], ARGV[2])
	return 1
end
redis.call("SET", KEYS[2], ARGV[2])
return 1`)

func (d *Desk) Rewrite(ctx context.Context, paper, text, kind string) (err error) {
	me := uuid.NewString()
	ok, err := d.rdb.SetNX(ctx, "lent:"+paper, me, 30*time.Second).Result() // verdict: fenced
	if err != nil {
		return err
	}
	if !ok {
		return errStale
	}
	defer func() {
		n, e := shut.Run(context.WithoutCancel(ctx), d.rdb, []string{"lent:" + paper}, me).Int()
		if e == nil && n == 0 {
			e = errStale
		}
		err = errors.Join(err, e)
	}()
	n, err := rewrite.Run(ctx, d.rdb, []string{"lent:" + paper, "paper:" + paper}, me, text, kind).Int()
	if err == nil && n == 0 {
		err = errStale
	}
	return err
}
