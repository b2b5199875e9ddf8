package bad

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// Objects that know who they are, through which everybody takes locks of any name.

var process = uuid.NewString()

// Turnstile has a name, and the process one more.
type Turnstile struct {
	rdb  *redis.Client
	name string
}

func NewTurnstile(rdb *redis.Client, name string) *Turnstile { return &Turnstile{rdb: rdb, name: name} }

func (t *Turnstile) who() string { return t.name + "@" + process }

// Pass lets a process through twice.
func (t *Turnstile) Pass(ctx context.Context, lane string, walk func(context.Context) error) (err error) {
	who := t.who()
	n, err := enter.Run(ctx, t.rdb, []string{"lock:lane:" + lane}, who, 30000).Int() // want: owner
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

// Warden draws an id where it is made, once for all that it guards.
type Warden struct {
	rdb *redis.Client
	id  string
}

func NewWarden(rdb *redis.Client) *Warden { return &Warden{rdb: rdb, id: rand.Text()} }

func (w *Warden) within(ctx context.Context, cell string, work func(context.Context) error) (err error) {
	n, err := enter.Run(ctx, w.rdb, []string{"lock:cell:" + cell}, w.id, 30000).Int() // want: owner
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

// Prison has one warden.
type Prison struct{ warden *Warden }

// Visit may come twice at a time.
func (p *Prison) Visit(ctx context.Context, cell string, talk func(context.Context) error) error {
	return p.warden.within(ctx, cell, talk)
}

// Started has no name but that of the process.
func Started(ctx context.Context, rdb *redis.Client, work func(context.Context) error) (err error) {
	n, err := enter.Run(ctx, rdb, []string{"lock:started"}, process, 30000).Int() // want: owner
	if err != nil {
		return err
	}
	if n != 1 {
		return errBusy
	}
	defer leave.Run(context.WithoutCancel(ctx), rdb, []string{"lock:started"}, process)
	return work(ctx)
}
