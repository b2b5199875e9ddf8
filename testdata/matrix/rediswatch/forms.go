package rediswatch

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: none, weakcondition
func Another(ctx context.Context, session *concurrency.Session, db *redis.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return db.Watch(ctx, func(tx *redis.Tx) error {
		last, err := tx.Get(ctx, "{doc}:token").Int64()
		if err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
		if last >= token {
			return errors.New("refused")
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Set(ctx, "{doc}:token", token, 0)
			p.Set(ctx, "{doc}:body", body, 0)
			return nil
		})
		return err
	}, "{doc}:body")
}

// cell: token
func Both(ctx context.Context, session *concurrency.Session, db *redis.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return db.Watch(ctx, func(tx *redis.Tx) error {
		last, err := tx.Get(ctx, "{doc}:token").Int64()
		if err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
		if last >= token {
			return errors.New("refused")
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Set(ctx, "{doc}:token", token, 0)
			p.Set(ctx, "{doc}:body", body, 0)
			return nil
		})
		return err
	}, "{doc}:body", "{doc}:token")
}

// cell: none, weakcondition
func Apart(ctx context.Context, session *concurrency.Session, db *redis.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return db.Watch(ctx, func(tx *redis.Tx) error {
		last, err := tx.Get(ctx, "{doc}:token").Int64()
		if err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
		if last >= token {
			return errors.New("refused")
		}
		_, err = db.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Set(ctx, "{doc}:token", token, 0)
			p.Set(ctx, "{doc}:body", body, 0)
			return nil
		})
		return err
	}, "{doc}:token")
}

// cell: token
func Pipe(ctx context.Context, session *concurrency.Session, db *redis.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return db.Watch(ctx, func(tx *redis.Tx) error {
		last, err := tx.Get(ctx, "{doc}:token").Int64()
		if err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
		if last >= token {
			return errors.New("refused")
		}
		p := tx.TxPipeline()
		p.Set(ctx, "{doc}:token", token, 0)
		p.Set(ctx, "{doc}:body", body, 0)
		_, err = p.Exec(ctx)
		return err
	}, "{doc}:token")
}
