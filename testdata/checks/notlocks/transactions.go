package notlocks

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// A Batch gathers what was read and what shall be written, and commits it if nothing of
// what was read has changed. Its callers say what that is: it is no lock.
type Batch struct {
	client *clientv3.Client
	seen   []clientv3.Cmp
	todo   []clientv3.Op
}

func (b *Batch) Read(ctx context.Context, key string) (string, error) {
	resp, err := b.client.Get(ctx, key)
	if err != nil {
		return "", err
	}
	if len(resp.Kvs) == 0 {
		b.seen = append(b.seen, clientv3.Compare(clientv3.CreateRevision(key), "=", 0))
		return "", nil
	}
	b.seen = append(b.seen, clientv3.Compare(clientv3.ModRevision(key), "=", resp.Kvs[0].ModRevision))
	return string(resp.Kvs[0].Value), nil
}

func (b *Batch) Write(key, value string) { b.todo = append(b.todo, clientv3.OpPut(key, value)) }

func (b *Batch) Drop(key string) { b.todo = append(b.todo, clientv3.OpDelete(key)) }

func (b *Batch) Commit(ctx context.Context) error {
	timed := newTimed(ctx, b.client)
	timed.If(b.seen...)
	timed.Then(b.todo...)
	resp, err := timed.Commit()
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errors.New("changed meanwhile")
	}
	return nil
}

// timed is a transaction that something else is done around.
type timed struct{ clientv3.Txn }

func newTimed(ctx context.Context, client *clientv3.Client) clientv3.Txn {
	return &timed{client.Txn(ctx)}
}

// In runs change as one transaction.
func In(ctx context.Context, client *clientv3.Client, change func(*Batch) error) error {
	b := &Batch{client: client}
	if err := change(b); err != nil {
		return err
	}
	return b.Commit(ctx)
}

// Load puts what is missing, and goes on with work of its own.
func Load(ctx context.Context, client *clientv3.Client, names []string) error {
	err := In(ctx, client, func(b *Batch) error {
		for _, name := range names {
			old, err := b.Read(ctx, "/rules/"+name)
			if err != nil {
				return err
			}
			if old == "stale" {
				b.Drop("/rules/" + name)
			} else {
				b.Write("/rules/"+name, "ready")
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = client.Put(ctx, "/loaded", "yes")
	return err
}
