package good

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Lockers are let by their numbers; what is let is listed with the session it is let in.
type Lockers struct {
	client *clientv3.Client
	let    map[string]*letting
}

type letting struct {
	held *concurrency.Session
	door *concurrency.Mutex
}

// Let lets one.
func (l *Lockers) Let(ctx context.Context, no string) error {
	held, err := concurrency.NewSession(l.client, concurrency.WithTTL(30))
	if err != nil {
		return err
	}
	door := concurrency.NewMutex(held, "lockers/"+no)
	if err := door.Lock(ctx); err != nil {
		return errors.Join(err, held.Close())
	}
	l.let[no] = &letting{held: held, door: door}
	return nil
}

// Empty opens the door, and ends the session with it.
func (l *Lockers) Empty(ctx context.Context, no string) error {
	let, ok := l.let[no]
	if !ok {
		return errors.New("not let")
	}
	delete(l.let, no)
	return errors.Join(let.door.Unlock(ctx), let.held.Close())
}
