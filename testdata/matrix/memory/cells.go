// The program's own code as resource.
package memory

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, docs *memory, body string, out saver) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return docs.store(token, body)
}

// no OwnerFenced: the lock is in another store

// no Version: what is read and written under one mutex is not read in the section

// cell: none
func None(ctx context.Context, session *concurrency.Session, docs *memory, body string, out saver) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	docs.overwrite(body)
	return nil
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, docs *memory, body string, out saver) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return docs.reversed(token, body)
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, docs *memory, body string, out saver) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	return docs.named(id, body)
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, docs *memory, body string, out saver) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return docs.forgetful(token, body)
}

// cell: none
func TwoSteps(ctx context.Context, session *concurrency.Session, docs *memory, body string, out saver) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	if docs.token() >= token {
		return errors.New("refused")
	}
	docs.overwrite(body)
	return nil
}

// cell: token, result dropped
func Dropped(ctx context.Context, session *concurrency.Session, docs *memory, body string, out saver) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	docs.store(token, body)
	return nil
}

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, docs *memory, body string, out saver) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return out.save(ctx, token, body)
}

// A saver is written elsewhere.
type saver interface {
	save(ctx context.Context, token int64, body string) error
}

type memory struct {
	mu         sync.Mutex
	last       int64
	name, body string
}

func (d *memory) overwrite(body string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.body = body
}

func (d *memory) token() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last
}

func (d *memory) store(token int64, body string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if token < d.last {
		return errors.New("refused")
	}
	d.last = token
	d.body = body
	return nil
}

func (d *memory) reversed(token int64, body string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if token > d.last {
		return errors.New("refused")
	}
	d.last = token
	d.body = body
	return nil
}

func (d *memory) forgetful(token int64, body string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if token < d.last {
		return errors.New("refused")
	}
	d.body = body
	return nil
}

func (d *memory) named(token string, body string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if token < d.name {
		return errors.New("refused")
	}
	d.name = token
	d.body = body
	return nil
}
