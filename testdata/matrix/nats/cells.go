// NATS: the revision of a key.
package nats

import (
	"context"
	"errors"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// no TokenFenced: a key has no condition but its revision

// no OwnerFenced: a key has no condition but its revision

// cell: version
func Version(ctx context.Context, session *concurrency.Session, kv jetstream.KeyValue, body []byte, options []jetstream.KVDeleteOpt) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	entry, err := kv.Get(ctx, "doc")
	if err != nil {
		return err
	}
	_, err = kv.Update(ctx, "doc", body, entry.Revision())
	return err
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, kv jetstream.KeyValue, body []byte, options []jetstream.KVDeleteOpt) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := kv.Put(ctx, "doc", body)
	return err
}

// no WrongWay: a key has no condition but its revision

// no RandomEqual: a key has no condition but its revision

// no NotStored: a key has no condition but its revision

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, kv jetstream.KeyValue, body []byte, options []jetstream.KVDeleteOpt) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	entry, err := kv.Get(ctx, "doc.token")
	if err != nil {
		return err
	}
	if last, _ := strconv.ParseInt(string(entry.Value()), 10, 64); last >= token {
		return errors.New("refused")
	}
	_, err = kv.Put(ctx, "doc", body)
	return err
}

// no Dropped: a refusal is an error

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, kv jetstream.KeyValue, body []byte, options []jetstream.KVDeleteOpt) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return kv.Delete(ctx, "doc", options...)
}
