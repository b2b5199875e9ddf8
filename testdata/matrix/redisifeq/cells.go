// Redis: SET IFEQ, SET IFNE and DELEX.
package redisifeq

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/redis/go-redis/v9"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// no TokenFenced: the value itself is compared, and for equality only

// no OwnerFenced: the value itself is compared, and for equality only

// cell: version
func Version(ctx context.Context, session *concurrency.Session, db *redis.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	old, err := db.Get(ctx, "doc").Result()
	if err != nil {
		return err
	}
	return refused(db.SetIFEQ(ctx, "doc", body, old, 0).Err())
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, db *redis.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return db.Set(ctx, "doc", body, 0).Err()
}

// no WrongWay: the value itself is compared, and for equality only

// cell: none, weakcondition
func RandomEqual(ctx context.Context, session *concurrency.Session, db *redis.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return refused(db.SetIFEQ(ctx, "doc", body, rand.Text(), 0).Err())
}

// no NotStored: the value itself is compared, and for equality only

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, db *redis.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	old, err := db.Get(ctx, "doc:token").Int64()
	if err != nil {
		return err
	}
	if old >= token {
		return errors.New("refused")
	}
	return db.Set(ctx, "doc", body, 0).Err()
}

// no Dropped: a refusal is an error

// no Unknown: the value is an argument of the command

// cell: none
func Unequal(ctx context.Context, session *concurrency.Session, db *redis.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return refused(db.SetIFNE(ctx, "doc", body, "closed", 0).Err())
}

// cell: none
func DeletedUnlessEqual(ctx context.Context, session *concurrency.Session, db *redis.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	n, err := db.DelExArgs(ctx, "doc", redis.DelExArgs{Mode: "IFNE", MatchValue: body}).Result()
	if err == nil && n == 0 {
		err = errors.New("refused")
	}
	return err
}

// cell: none
func DeletedAnyway(ctx context.Context, session *concurrency.Session, db *redis.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return db.DelExArgs(ctx, "doc", redis.DelExArgs{}).Err()
}

func refused(err error) error {
	if errors.Is(err, redis.Nil) {
		err = errors.New("refused")
	}
	return err
}
