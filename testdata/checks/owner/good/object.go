package good

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var process = uuid.NewString()

// Turnstile adds something for each who passes.
type Turnstile struct {
	rdb  *redis.Client
	name string
}

func NewTurnstile(rdb *redis.Client, name string) *Turnstile { return &Turnstile{rdb: rdb, name: name} }

func (t *Turnstile) who() string { return t.name + "@" + process + "/" + rand.Text() }

func (t *Turnstile) Pass(ctx context.Context, lane string, walk func(context.Context) error) (err error) {
	who := t.who()
	n, err := enter.Run(ctx, t.rdb, []string{"lock:lane:" + lane}, who, 30000).Int()
	if err != nil {
		return err
	}
	if n != 1 {
		return errBusy
	}
	defer func() {
		_, e := leave.Run(context.WithoutCancel(ctx), t.rdb, []string{"lock:lane:" + lane}, who).Int()
		err = errors.Join(err, e)
	}()
	return walk(ctx)
}

// Warden is made for each visit.
type Warden struct {
	rdb *redis.Client
	id  string
}

func NewWarden(rdb *redis.Client) *Warden { return &Warden{rdb: rdb, id: rand.Text()} }

func (w *Warden) within(ctx context.Context, cell string, work func(context.Context) error) (err error) {
	n, err := enter.Run(ctx, w.rdb, []string{"lock:cell:" + cell}, w.id, 30000).Int()
	if err != nil {
		return err
	}
	if n != 1 {
		return errBusy
	}
	defer func() {
		_, e := leave.Run(context.WithoutCancel(ctx), w.rdb, []string{"lock:cell:" + cell}, w.id).Int()
		err = errors.Join(err, e)
	}()
	return work(ctx)
}

// Prison makes one.
type Prison struct{ rdb *redis.Client }

func (p *Prison) Visit(ctx context.Context, cell string, talk func(context.Context) error) error {
	return NewWarden(p.rdb).within(ctx, cell, talk)
}

// Room is one lock, with an id of its own.
type Room struct {
	rdb     *redis.Client
	key, id string
}

func NewRoom(rdb *redis.Client, key string) *Room {
	return &Room{rdb: rdb, key: "lock:room:" + key, id: rand.Text()}
}

// Use is called by one who has a room.
func (r *Room) Use(ctx context.Context, work func(context.Context) error) (err error) {
	n, err := enter.Run(ctx, r.rdb, []string{r.key}, r.id, 30000).Int()
	if err != nil {
		return err
	}
	if n != 1 {
		return errBusy
	}
	defer leave.Run(context.WithoutCancel(ctx), r.rdb, []string{r.key}, r.id)
	return work(ctx)
}
