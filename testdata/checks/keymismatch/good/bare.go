package good

import (
	"context"
	"errors"
	"path"
	"time"

	"github.com/hashicorp/consul/api"
	"github.com/redis/go-redis/v9"
)

var errRowed = errors.New("being rowed")

// A Boat is rowed by one crew at a time.
type Boat struct{ Name string }

// Boathouse locks its boats under a folder of its own.
type Boathouse struct {
	kv      *api.KV
	rdb     *redis.Client
	folder  string
	session string
}

func (h *Boathouse) place(b Boat) string { return path.Join(h.folder, b.Name) }

// Row says the same key in other words.
func (h *Boathouse) Row(ctx context.Context, b Boat, row func(context.Context, string) error) (err error) {
	q := (&api.WriteOptions{}).WithContext(ctx)
	ok, _, err := h.kv.Acquire(&api.KVPair{Key: path.Join(h.folder, b.Name), Session: h.session}, q)
	if err != nil {
		return err
	}
	if !ok {
		return errRowed
	}
	defer func() {
		q := (&api.WriteOptions{}).WithContext(context.WithoutCancel(ctx))
		freed, _, e := h.kv.Release(&api.KVPair{Key: h.place(b), Session: h.session}, q)
		if e == nil && !freed {
			e = errors.New("not freed")
		}
		err = errors.Join(err, e)
	}()
	return row(ctx, b.Name)
}

// An entry keeps the key that it has worked out.
type entry struct{ name, key string }

// Moor works the key out once.
func (h *Boathouse) Moor(ctx context.Context, b Boat, moor func(context.Context, string) error) (err error) {
	e := entry{name: b.Name, key: h.place(b)}
	q := (&api.WriteOptions{}).WithContext(ctx)
	ok, _, err := h.kv.Acquire(&api.KVPair{Key: e.key, Session: h.session}, q)
	if err != nil {
		return err
	}
	if !ok {
		return errRowed
	}
	defer func() {
		q := (&api.WriteOptions{}).WithContext(context.WithoutCancel(ctx))
		freed, _, rerr := h.kv.Release(&api.KVPair{Key: e.key, Session: h.session}, q)
		if rerr == nil && !freed {
			rerr = errors.New("not freed")
		}
		err = errors.Join(err, rerr)
	}()
	return moor(ctx, e.name)
}

var unmoor = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Paint drops what is cached under the bare name, which is no lock.
func (h *Boathouse) Paint(ctx context.Context, b Boat, me string, paint func(context.Context, string) error) (err error) {
	ok, err := h.rdb.SetNX(ctx, h.folder+"/"+b.Name+"/paint", me, time.Minute).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errRowed
	}
	defer func() {
		n, e := unmoor.Run(context.WithoutCancel(ctx), h.rdb, []string{h.folder + "/" + b.Name + "/paint"}, me).Int()
		if e == nil && n == 0 {
			e = errRowed
		}
		err = errors.Join(err, e)
	}()
	if err := h.rdb.Del(ctx, b.Name).Err(); err != nil {
		return err
	}
	return paint(ctx, b.Name)
}
