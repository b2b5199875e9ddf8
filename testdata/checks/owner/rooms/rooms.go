// Package rooms books rooms, one session for all of them.
package rooms

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

type Rooms struct {
	session *concurrency.Session
}

func Open(cli *clientv3.Client) (*Rooms, error) {
	s, err := concurrency.NewSession(cli)
	if err != nil {
		return nil, err
	}
	return &Rooms{session: s}, nil
}

// Book runs fn while the room is taken.
func (r *Rooms) Book(ctx context.Context, room string, fn func(context.Context) error) error {
	m := concurrency.NewMutex(r.session, "/rooms/"+room)
	if err := m.TryLock(ctx); err != nil { // want: owner // linked
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	held, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.session.Ctx(), cancel)()
	return fn(held)
}
