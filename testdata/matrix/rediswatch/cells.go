// Redis: WATCH with MULTI.
package rediswatch

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/redis/go-redis/v9"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, db *redis.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return db.Watch(ctx, func(tx *redis.Tx) error {
		last, err := tx.Get(ctx, "doc:token").Int64()
		if err != nil {
			return err
		}
		if last >= token {
			return errors.New("refused")
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Set(ctx, "doc", body, 0)
			p.Set(ctx, "doc:token", token, 0)
			return nil
		})
		return err
	}, "doc:token")
}

// no OwnerFenced: the owner of a lease is asked for by a script

// cell: version
func Version(ctx context.Context, session *concurrency.Session, db *redis.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return db.Watch(ctx, func(tx *redis.Tx) error {
		old, err := tx.Get(ctx, "doc").Result()
		if err != nil {
			return err
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Set(ctx, "doc", old+body, 0)
			return nil
		})
		return err
	}, "doc")
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, db *redis.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := db.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Set(ctx, "doc", body, 0)
		return nil
	})
	return err
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, db *redis.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return db.Watch(ctx, func(tx *redis.Tx) error {
		last, err := tx.Get(ctx, "doc:token").Int64()
		if err != nil {
			return err
		}
		if last <= token {
			return errors.New("refused")
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Set(ctx, "doc", body, 0)
			p.Set(ctx, "doc:token", token, 0)
			return nil
		})
		return err
	}, "doc:token")
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, db *redis.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	return db.Watch(ctx, func(tx *redis.Tx) error {
		last, err := tx.Get(ctx, "doc:token").Result()
		if err != nil {
			return err
		}
		if last >= id {
			return errors.New("refused")
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Set(ctx, "doc", body, 0)
			p.Set(ctx, "doc:token", id, 0)
			return nil
		})
		return err
	}, "doc:token")
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, db *redis.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return db.Watch(ctx, func(tx *redis.Tx) error {
		last, err := tx.Get(ctx, "doc:token").Int64()
		if err != nil {
			return err
		}
		if last >= token {
			return errors.New("refused")
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Set(ctx, "doc", body, 0)
			return nil
		})
		return err
	}, "doc:token")
}

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, db *redis.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return db.Watch(ctx, func(tx *redis.Tx) error {
		last, err := tx.Get(ctx, "doc:token").Int64()
		if err != nil {
			return err
		}
		if last >= token {
			return errors.New("refused")
		}
		return db.Set(ctx, "doc", body, 0).Err()
	}, "doc:token")
}

// no Dropped: a refusal is an error

// no Unknown: what is queued is in view

// cell: none, weakcondition
func Pipelined(ctx context.Context, session *concurrency.Session, db *redis.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return db.Watch(ctx, func(tx *redis.Tx) error {
		last, err := tx.Get(ctx, "doc:token").Int64()
		if err != nil {
			return err
		}
		if last >= token {
			return errors.New("refused")
		}
		_, err = tx.Pipelined(ctx, func(p redis.Pipeliner) error {
			p.Set(ctx, "doc", body, 0)
			p.Set(ctx, "doc:token", token, 0)
			return nil
		})
		return err
	}, "doc:token")
}
