// Package plain holds locks of etcd that are known as sync.Locker, and listens to
// their sessions.
package plain

import (
	"context"
	"sync"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Bound ends the work with the session.
func Bound(cli *clientv3.Client, steps func(context.Context) error) error {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(20))
	if err != nil {
		return err
	}
	defer session.Close()
	var one sync.Locker = concurrency.NewLocker(session, "/locks/bound")
	one.Lock()
	defer one.Unlock()
	return steps(session.Ctx())
}

// Told stops the work when the session says so.
func Told(cli *clientv3.Client, steps func(context.Context) error) error {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(20))
	if err != nil {
		return err
	}
	defer session.Close()
	one := concurrency.NewLocker(session, "/locks/told")
	one.Lock()
	defer one.Unlock()
	held, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		select {
		case <-session.Done():
			stop()
		case <-held.Done():
		}
	}()
	return steps(held)
}
