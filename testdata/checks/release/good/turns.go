package good

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Feed is implemented outside of this module.
type Feed interface {
	Drain(ctx context.Context, name string) error
}

// Feeds unlocks in every turn; where it gives up, the session ends with the function.
func Feeds(ctx context.Context, cli *clientv3.Client, names []string, feed Feed) error {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(15))
	if err != nil {
		return err
	}
	defer session.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		<-session.Done()
		cancel()
	}()
	var failed error
	for _, name := range names {
		mutex := concurrency.NewMutex(session, "/feeds/"+name)
		if err := mutex.Lock(ctx); err != nil { // verdict: unverified
			return err
		}
		err := feed.Drain(ctx, name)
		if errors.Is(err, context.Canceled) {
			return err
		}
		failed = errors.Join(failed, err, mutex.Unlock(context.WithoutCancel(ctx)))
	}
	return failed
}

// PerTurn has one for each turn, which ends in it.
func PerTurn(ctx context.Context, cli *clientv3.Client, names []string, feed Feed) (failed error) {
	for _, name := range names {
		turn := func() error {
			session, err := concurrency.NewSession(cli, concurrency.WithTTL(15), concurrency.WithContext(ctx))
			if err != nil {
				return err
			}
			defer session.Close()
			mutex := concurrency.NewMutex(session, "/turns/"+name)
			if err := mutex.Lock(ctx); err != nil { // verdict: unverified
				return err
			}
			if err := feed.Drain(ctx, name); err != nil {
				return err
			}
			return mutex.Unlock(context.WithoutCancel(ctx))
		}
		failed = errors.Join(failed, turn())
	}
	return failed
}
