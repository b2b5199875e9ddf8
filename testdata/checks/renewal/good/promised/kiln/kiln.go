// Package kiln has a lock object that shows its session and tells of its end by a channel.
package kiln

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Heat is a lock.
type Heat struct {
	Session *concurrency.Session
	mutex   *concurrency.Mutex
	cold    chan struct{}
}

// Fire takes the lock.
func Fire(ctx context.Context, cli *clientv3.Client, name string) (*Heat, error) {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(20))
	if err != nil {
		return nil, err
	}
	h := &Heat{Session: session, mutex: concurrency.NewMutex(session, "/kilns/"+name), cold: make(chan struct{})}
	if err := h.mutex.Lock(ctx); err != nil {
		session.Close()
		return nil, err
	}
	go func() {
		<-session.Done()
		close(h.cold)
	}()
	return h, nil
}

// Cold is closed when the lock is lost.
func (h *Heat) Cold() <-chan struct{} { return h.cold }

// Quench gives the lock back.
func (h *Heat) Quench(ctx context.Context) error {
	err := h.mutex.Unlock(context.WithoutCancel(ctx))
	if e := h.Session.Close(); err == nil {
		err = e
	}
	return err
}
