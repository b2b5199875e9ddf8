// Package elsewhere asks the lock or its session, instead of the renewal.
package elsewhere

import (
	"context"
	"errors"
	"time"

	"github.com/go-redsync/redsync/v4"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

var errLost = errors.New("lock lost")

// Session hands the context of the session to the work.
func Session(ctx context.Context, cli *clientv3.Client, work func(context.Context) error) error {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(20))
	if err != nil {
		return err
	}
	defer session.Close()
	mutex := concurrency.NewMutex(session, "/locks/session")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return work(session.Ctx())
}

// Asked has a renewal whose answer nobody reads, and asks the lock itself
// before every step.
func Asked(ctx context.Context, mutex *redsync.Mutex, steps []func() error) error {
	if err := mutex.LockContext(ctx); err != nil { // verdict: unverified
		return err
	}
	defer mutex.UnlockContext(context.WithoutCancel(ctx))
	go keep(ctx, mutex)
	for _, step := range steps {
		if time.Until(mutex.Until()) < time.Second {
			return errLost
		}
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func keep(ctx context.Context, mutex *redsync.Mutex) {
	for ctx.Err() == nil {
		mutex.ExtendContext(ctx)
		time.Sleep(time.Second)
	}
}
