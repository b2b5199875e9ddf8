package good

import (
	"context"
	"time"

	"github.com/bsm/redislock"
)

// Kiln keeps a kiln for one host, and two contexts: that of its work and its own.
type Kiln struct {
	lock *redislock.Lock
	base context.Context
	work context.Context
	stop context.CancelFunc
	quit context.CancelFunc
}

// TakeKiln takes it.
func TakeKiln(ctx context.Context, c *redislock.Client, name string) (*Kiln, error) {
	lock, err := c.Obtain(ctx, "kiln:"+name, time.Minute, nil)
	if err != nil {
		return nil, err
	}
	k := &Kiln{lock: lock}
	k.base, k.quit = context.WithCancel(context.WithoutCancel(ctx))
	k.work, k.stop = context.WithCancel(ctx)
	return k, nil
}

// Release cancels the work, and sends what is not cancelled.
func (k *Kiln) Release() error {
	k.stop()
	defer k.quit()
	return k.lock.Release(k.base)
}

// Late cancels after it has released.
func (k *Kiln) Late() error {
	err := k.lock.Release(k.work)
	k.stop()
	return err
}

// Apart releases with a context that does not end with the one that is cancelled.
func (k *Kiln) Apart() error {
	k.stop()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(k.work), time.Second)
	defer cancel()
	return k.lock.Release(ctx)
}

// Renewed makes another context before.
func (k *Kiln) Renewed() error {
	k.stop()
	k.work, k.stop = context.WithTimeout(context.Background(), time.Second)
	defer k.stop()
	return k.lock.Release(k.work)
}
