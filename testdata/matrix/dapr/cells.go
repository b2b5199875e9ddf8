// dapr: the ETag of a state.
package dapr

import (
	"context"
	"errors"
	"strconv"

	"github.com/dapr/go-sdk/client"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// no TokenFenced: a state has no condition but its ETag

// no OwnerFenced: a state has no condition but its ETag

// cell: version
func Version(ctx context.Context, session *concurrency.Session, c client.Client, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	item, err := c.GetState(ctx, "store", "doc", nil)
	if err != nil {
		return err
	}
	return c.SaveStateWithETag(ctx, "store", "doc", body, item.Etag, nil, client.WithConcurrency(client.StateConcurrencyFirstWrite))
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, c client.Client, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return c.SaveState(ctx, "store", "doc", body, nil)
}

// no WrongWay: a state has no condition but its ETag

// no RandomEqual: a state has no condition but its ETag

// no NotStored: a state has no condition but its ETag

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, c client.Client, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	item, err := c.GetState(ctx, "store", "doc-token", nil)
	if err != nil {
		return err
	}
	if last, _ := strconv.ParseInt(string(item.Value), 10, 64); last >= token {
		return errors.New("refused")
	}
	return c.SaveState(ctx, "store", "doc", body, nil)
}

// no Dropped: a refusal is an error

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, c client.Client, body []byte, options []client.StateOption) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	item, err := c.GetState(ctx, "store", "doc", nil)
	if err != nil {
		return err
	}
	return c.SaveStateWithETag(ctx, "store", "doc", body, item.Etag, nil, options...)
}

// cell: none
func WithoutOptions(ctx context.Context, session *concurrency.Session, c client.Client, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	item, err := c.GetState(ctx, "store", "doc", nil)
	if err != nil {
		return err
	}
	return c.SaveStateWithETag(ctx, "store", "doc", body, item.Etag, nil)
}

// cell: none
func LastWriteWins(ctx context.Context, session *concurrency.Session, c client.Client, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	item, err := c.GetState(ctx, "store", "doc", nil)
	if err != nil {
		return err
	}
	return c.SaveStateWithETag(ctx, "store", "doc", body, item.Etag, nil, client.WithConcurrency(client.StateConcurrencyLastWrite), client.WithConsistency(client.StateConsistencyStrong))
}
