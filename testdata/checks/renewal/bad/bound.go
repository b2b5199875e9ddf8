package bad

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// All of these renew on the context that bounds the wait for the lock.

// Kiln is a lock that is kept in a field.
type Kiln struct {
	lock *redislock.Lock
	cold chan struct{}
}

// Fire waits for the kiln.
func Fire(ctx context.Context, locker *redislock.Client) (*Kiln, error) {
	patience, enough := context.WithTimeout(ctx, 3*time.Second)
	defer enough()
	l, err := locker.Obtain(patience, "kiln", time.Minute, &redislock.Options{RetryStrategy: redislock.LinearBackoff(time.Second)})
	if err != nil {
		return nil, err
	}
	k := &Kiln{lock: l, cold: make(chan struct{})}
	go k.stoke(patience) // want: renewal
	return k, nil
}

func (k *Kiln) stoke(ctx context.Context) {
	defer close(k.cold)
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(20 * time.Second):
			if err := k.lock.Refresh(ctx, time.Minute, nil); err != nil {
				return
			}
		}
	}
}

// Cool lets it go out.
func (k *Kiln) Cool(ctx context.Context) error {
	<-k.cold
	return k.lock.Release(ctx)
}

// Loom is renewed by a closure.
type Loom struct {
	mutex *redsync.Mutex
	lost  chan error
}

// Weave cancels by itself what it waited with.
func Weave(ctx context.Context, rs *redsync.Redsync) (*Loom, error) {
	try, cancel := context.WithCancel(ctx)
	stop := time.AfterFunc(time.Second, cancel)
	m := rs.NewMutex("loom", redsync.WithExpiry(time.Minute))
	if err := m.LockContext(try); err != nil {
		cancel()
		return nil, err
	}
	l := &Loom{mutex: m, lost: make(chan error, 1)}
	go func() {
		for {
			time.Sleep(20 * time.Second)
			if ok, err := m.ExtendContext(try); err != nil || !ok { // want: renewal
				l.lost <- err
				return
			}
		}
	}()
	stop.Stop()
	cancel()
	return l, nil
}

// Rest unlocks the loom.
func (l *Loom) Rest(ctx context.Context) (bool, error) { return l.mutex.UnlockContext(ctx) }

// Rent keeps a lease alive in the background, by a context that its end cancels.
func Rent(ctx context.Context, cli *clientv3.Client, key string) (clientv3.LeaseID, <-chan *clientv3.LeaseKeepAliveResponse, error) {
	own, cancel := context.WithCancel(ctx)
	defer cancel()
	lease, err := cli.Grant(own, 30)
	if err != nil {
		return 0, nil, err
	}
	resp, err := cli.Txn(own).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).Then(clientv3.OpPut(key, "", clientv3.WithLease(lease.ID))).Commit()
	if err != nil {
		return 0, nil, err
	}
	if !resp.Succeeded {
		return 0, nil, errBusy
	}
	alive, err := cli.KeepAlive(own, lease.ID) // want: renewal
	return lease.ID, alive, err
}
