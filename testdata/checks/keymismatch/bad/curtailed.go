package bad

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// Berths are locked in the name of their port.
type Berths struct {
	rdb  *redis.Client
	port string
}

func (b *Berths) lock(ctx context.Context, n int, me string) error {
	ok, err := b.rdb.SetNX(ctx, fmt.Sprintf("%s/berth-lock:%d", b.port, n), me, time.Minute).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	return nil
}

func (b *Berths) unlock(ctx context.Context, n int, me string) error {
	return drop.Run(ctx, b.rdb, []string{fmt.Sprintf("berth-lock:%d", n)}, me).Err() // want: keymismatch
}

// Moor has the berth for a ship.
func (b *Berths) Moor(ctx context.Context, n int, ship string, job Job) (err error) {
	if err := b.lock(ctx, n, ship); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, b.unlock(context.WithoutCancel(ctx), n, ship)) }()
	return job.Run(ctx)
}

// Lone is of a port without a name, and has locks that look like what is left of the others.
func Lone(ctx context.Context, rdb *redis.Client, n int, ship string, job Job) (err error) {
	key := fmt.Sprintf("berth-lock:%d", n)
	ok, err := rdb.SetNX(ctx, key, ship, time.Minute).Result() // verdict: unverified
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() {
		n, e := drop.Run(context.WithoutCancel(ctx), rdb, []string{key}, ship).Int()
		if e == nil && n == 0 {
			e = errBusy
		}
		err = errors.Join(err, e)
	}()
	return job.Run(ctx)
}
