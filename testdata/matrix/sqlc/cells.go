// sqlc: generated queries.
package sqlc

import (
	"context"
	"crypto/rand"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, q *Queries, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return affected(q.SaveFenced(ctx, SaveFencedParams{Body: body, Token: token}))
}

// no OwnerFenced: the statement is the one of sql

// cell: version
func Version(ctx context.Context, session *concurrency.Session, q *Queries, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return affected(q.SaveVersion(ctx, SaveVersionParams{Body: body, Version: version}))
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, q *Queries, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return q.Save(ctx, body)
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, q *Queries, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return affected(q.SaveOlder(ctx, SaveOlderParams{Body: body, Token: token}))
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, q *Queries, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	return affected(q.SaveNamed(ctx, SaveNamedParams{Body: body, Name: id}))
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, q *Queries, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return affected(q.SaveCompared(ctx, SaveComparedParams{Body: body, Token: token}))
}

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, q *Queries, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	last, err := q.GetToken(ctx)
	if err != nil {
		return err
	}
	if last >= token {
		return errors.New("refused")
	}
	return q.Save(ctx, body)
}

// cell: token, result dropped
func Dropped(ctx context.Context, session *concurrency.Session, q *Queries, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return q.SaveQuietly(ctx, SaveQuietlyParams{Body: body, Token: token})
}

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, q *Queries, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return q.SaveByProcedure(ctx, SaveByProcedureParams{Body: body, Token: token})
}

// cell: token
func ByRow(ctx context.Context, session *concurrency.Session, q *Queries, body, holder string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := q.SaveReturning(ctx, SaveReturningParams{Body: body, Token: token})
	return err
}

func affected(n int64, err error) error {
	if err == nil && n == 0 {
		err = errors.New("refused")
	}
	return err
}
