package bad

import (
	"context"
	"log/slog"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
)

var compareAndDelete = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`)

// Import does not look at what Refresh says.
func Import(ctx context.Context, locker *redislock.Client, run func(context.Context) error) error {
	l, err := locker.Obtain(ctx, "import", time.Minute, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Second):
				l.Refresh(ctx, time.Minute, nil) // want: renewal
			}
		}
	}()
	return run(ctx)
}

// Publish stops to renew when it fails once, and only the log knows.
func Publish(ctx context.Context, rs *redsync.Redsync, run func(context.Context) error) error {
	mutex := rs.NewMutex("publish", redsync.WithExpiry(30*time.Second))
	if err := mutex.LockContext(ctx); err != nil {
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	done := make(chan struct{})
	defer close(done)
	go keep(ctx, mutex, done)
	return run(ctx)
}

func keep(ctx context.Context, mutex *redsync.Mutex, done <-chan struct{}) {
	ticker := time.NewTicker(10 * time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			ok, err := mutex.ExtendContext(ctx) // want: renewal
			if err != nil || !ok {
				slog.Error("cannot extend", "lock", mutex.Name(), "err", err)
				return
			}
		}
	}
}

// Lease renews in a method of its own, whose answer is lost in the end.
type Lease struct {
	mutex *redsync.Mutex
}

func (l *Lease) renew(ctx context.Context) error {
	_, err := l.mutex.ExtendContext(ctx)
	return err
}

func (l *Lease) Keep(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(5 * time.Second):
			_ = l.renew(ctx) // want: renewal
		}
	}
}

// Marker extends the key of whoever holds it.
type Marker struct {
	rdb   *redis.Client
	key   string
	owner string
}

func (m *Marker) TryLock(ctx context.Context) (bool, error) {
	return m.rdb.SetNX(ctx, m.key, m.owner, 30*time.Second).Result()
}

func (m *Marker) Unlock(ctx context.Context) error {
	return compareAndDelete.Run(ctx, m.rdb, []string{m.key}, m.owner).Err()
}

func (m *Marker) KeepAlive(ctx context.Context) error {
	return m.rdb.Expire(ctx, m.key, 30*time.Second).Err() // want: renewal
}

// Late renews so seldom that one slow answer is enough to lose the lock.
func Late(ctx context.Context, locker *redislock.Client, run func(context.Context) error) error {
	l, err := locker.Obtain(ctx, "late", 10*time.Second, nil)
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	held, lost := context.WithCancel(ctx)
	defer lost()
	go func() {
		ticker := time.NewTicker(9 * time.Second) // want: renewal
		defer ticker.Stop()
		for {
			select {
			case <-held.Done():
				return
			case <-ticker.C:
				if err := l.Refresh(held, 10*time.Second, nil); err != nil {
					lost()
					return
				}
			}
		}
	}()
	return run(held)
}

// Campaign reads no answer of the keepalive.
func Campaign(ctx context.Context, cli *clientv3.Client, run func(context.Context) error) error {
	lease, err := cli.Grant(ctx, 15)
	if err != nil {
		return err
	}
	defer cli.Revoke(context.WithoutCancel(ctx), lease.ID)
	if _, err := cli.KeepAlive(ctx, lease.ID); err != nil { // want: renewal
		return err
	}
	free := clientv3.Compare(clientv3.CreateRevision("/leader"), "=", 0)
	resp, err := cli.Txn(ctx).If(free).Then(clientv3.OpPut("/leader", "me", clientv3.WithLease(lease.ID))).Commit()
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errBusy
	}
	return run(ctx)
}

// Watch reads them all and stops without a word.
func Watch(ctx context.Context, cli *clientv3.Client, run func(context.Context) error) error {
	lease, err := cli.Grant(ctx, 15)
	if err != nil {
		return err
	}
	defer cli.Revoke(context.WithoutCancel(ctx), lease.ID)
	answers, err := cli.KeepAlive(ctx, lease.ID) // want: renewal
	if err != nil {
		return err
	}
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case _, ok := <-answers:
				if !ok {
					slog.Warn("keepalive ended")
					return
				}
			}
		}
	}()
	free := clientv3.Compare(clientv3.CreateRevision("/watch"), "=", 0)
	resp, err := cli.Txn(ctx).If(free).Then(clientv3.OpPut("/watch", "me", clientv3.WithLease(lease.ID))).Commit()
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errBusy
	}
	return run(ctx)
}

// Held hands a lock on whose keepalive is over in five seconds.
type Held struct {
	cli   *clientv3.Client
	lease clientv3.LeaseID
	Lost  chan struct{}
}

func Hold(parent context.Context, cli *clientv3.Client) (*Held, error) {
	ctx, cancel := context.WithTimeout(parent, 5*time.Second)
	defer cancel()
	lease, err := cli.Grant(ctx, 15)
	if err != nil {
		return nil, err
	}
	free := clientv3.Compare(clientv3.CreateRevision("/hold"), "=", 0)
	resp, err := cli.Txn(ctx).If(free).Then(clientv3.OpPut("/hold", "me", clientv3.WithLease(lease.ID))).Commit()
	if err != nil {
		return nil, err
	}
	if !resp.Succeeded {
		return nil, errBusy
	}
	answers, err := cli.KeepAlive(ctx, lease.ID) // want: renewal
	if err != nil {
		return nil, err
	}
	h := &Held{cli: cli, lease: lease.ID, Lost: make(chan struct{})}
	go func() {
		for range answers {
		}
		close(h.Lost)
	}()
	return h, nil
}

func (h *Held) Release(ctx context.Context) error {
	_, err := h.cli.Revoke(ctx, h.lease)
	return err
}
