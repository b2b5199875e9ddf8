// Datastore: what a transaction reads.
package datastore

import (
	"context"
	"crypto/rand"
	"errors"

	"cloud.google.com/go/datastore"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, db *datastore.Client, key *datastore.Key, body string, mutations []*datastore.Mutation) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := db.RunInTransaction(ctx, func(tx *datastore.Transaction) error {
		var old entity
		if err := tx.Get(key, &old); err != nil {
			return err
		}
		if old.Token >= token {
			return errors.New("refused")
		}
		_, err := tx.Put(key, &entity{Body: body, Token: token})
		return err
	})
	return err
}

// no OwnerFenced: the lease is an entity of its own

// no Version: an entity has no condition outside of a transaction

// cell: none
func None(ctx context.Context, session *concurrency.Session, db *datastore.Client, key *datastore.Key, body string, mutations []*datastore.Mutation) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := db.Put(ctx, key, &entity{Body: body})
	return err
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, db *datastore.Client, key *datastore.Key, body string, mutations []*datastore.Mutation) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := db.RunInTransaction(ctx, func(tx *datastore.Transaction) error {
		var old entity
		if err := tx.Get(key, &old); err != nil {
			return err
		}
		if old.Token <= token {
			return errors.New("refused")
		}
		_, err := tx.Put(key, &entity{Body: body, Token: token})
		return err
	})
	return err
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, db *datastore.Client, key *datastore.Key, body string, mutations []*datastore.Mutation) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	_, err := db.RunInTransaction(ctx, func(tx *datastore.Transaction) error {
		var old named
		if err := tx.Get(key, &old); err != nil {
			return err
		}
		if old.Token >= id {
			return errors.New("refused")
		}
		_, err := tx.Put(key, &named{Body: body, Token: id})
		return err
	})
	return err
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, db *datastore.Client, key *datastore.Key, body string, mutations []*datastore.Mutation) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := db.RunInTransaction(ctx, func(tx *datastore.Transaction) error {
		var old entity
		if err := tx.Get(key, &old); err != nil {
			return err
		}
		if old.Token >= token {
			return errors.New("refused")
		}
		_, err := tx.Put(key, &entity{Body: body})
		return err
	})
	return err
}

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, db *datastore.Client, key *datastore.Key, body string, mutations []*datastore.Mutation) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	var old entity
	if err := db.Get(ctx, key, &old); err != nil {
		return err
	}
	if old.Token >= token {
		return errors.New("refused")
	}
	_, err := db.Put(ctx, key, &entity{Body: body, Token: token})
	return err
}

// no Dropped: a refusal is an error

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, db *datastore.Client, key *datastore.Key, body string, mutations []*datastore.Mutation) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := db.Mutate(ctx, mutations...)
	return err
}

type entity struct {
	Body  string
	Token int64
}

type named struct{ Body, Token string }
