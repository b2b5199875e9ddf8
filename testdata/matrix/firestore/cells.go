// Firestore: the update time, and what a transaction reads.
package firestore

import (
	"context"
	"crypto/rand"
	"errors"

	"cloud.google.com/go/firestore"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, db *firestore.Client, doc *firestore.DocumentRef, body string, preconditions []firestore.Precondition) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return db.RunTransaction(ctx, func(ctx context.Context, tx *firestore.Transaction) error {
		snap, err := tx.Get(doc)
		if err != nil {
			return err
		}
		last, err := snap.DataAt("token")
		if err != nil {
			return err
		}
		if last.(int64) >= token {
			return errors.New("refused")
		}
		return tx.Update(doc, []firestore.Update{{Path: "body", Value: body}, {Path: "token", Value: token}})
	})
}

// no OwnerFenced: the lease is a document of its own

// cell: version
func Version(ctx context.Context, session *concurrency.Session, db *firestore.Client, doc *firestore.DocumentRef, body string, preconditions []firestore.Precondition) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	snap, err := doc.Get(ctx)
	if err != nil {
		return err
	}
	_, err = doc.Update(ctx, []firestore.Update{{Path: "body", Value: body}}, firestore.LastUpdateTime(snap.UpdateTime))
	return err
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, db *firestore.Client, doc *firestore.DocumentRef, body string, preconditions []firestore.Precondition) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := doc.Set(ctx, map[string]any{"body": body})
	return err
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, db *firestore.Client, doc *firestore.DocumentRef, body string, preconditions []firestore.Precondition) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return db.RunTransaction(ctx, func(ctx context.Context, tx *firestore.Transaction) error {
		snap, err := tx.Get(doc)
		if err != nil {
			return err
		}
		last, err := snap.DataAt("token")
		if err != nil {
			return err
		}
		if last.(int64) <= token {
			return errors.New("refused")
		}
		return tx.Update(doc, []firestore.Update{{Path: "body", Value: body}, {Path: "token", Value: token}})
	})
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, db *firestore.Client, doc *firestore.DocumentRef, body string, preconditions []firestore.Precondition) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	return db.RunTransaction(ctx, func(ctx context.Context, tx *firestore.Transaction) error {
		snap, err := tx.Get(doc)
		if err != nil {
			return err
		}
		last, err := snap.DataAt("token")
		if err != nil {
			return err
		}
		if last.(string) >= id {
			return errors.New("refused")
		}
		return tx.Update(doc, []firestore.Update{{Path: "body", Value: body}, {Path: "token", Value: id}})
	})
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, db *firestore.Client, doc *firestore.DocumentRef, body string, preconditions []firestore.Precondition) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return db.RunTransaction(ctx, func(ctx context.Context, tx *firestore.Transaction) error {
		snap, err := tx.Get(doc)
		if err != nil {
			return err
		}
		last, err := snap.DataAt("token")
		if err != nil {
			return err
		}
		if last.(int64) >= token {
			return errors.New("refused")
		}
		return tx.Update(doc, []firestore.Update{{Path: "body", Value: body}})
	})
}

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, db *firestore.Client, doc *firestore.DocumentRef, body string, preconditions []firestore.Precondition) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	snap, err := doc.Get(ctx)
	if err != nil {
		return err
	}
	last, err := snap.DataAt("token")
	if err != nil {
		return err
	}
	if last.(int64) >= token {
		return errors.New("refused")
	}
	_, err = doc.Set(ctx, map[string]any{"body": body, "token": token})
	return err
}

// no Dropped: a refusal is an error

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, db *firestore.Client, doc *firestore.DocumentRef, body string, preconditions []firestore.Precondition) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := doc.Update(ctx, []firestore.Update{{Path: "body", Value: body}}, preconditions...)
	return err
}

// cell: unique
func Once(ctx context.Context, session *concurrency.Session, db *firestore.Client, doc *firestore.DocumentRef, body string, preconditions []firestore.Precondition) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := doc.Create(ctx, map[string]any{"body": body})
	return err
}

// cell: none, weakcondition
func AnotherDocument(ctx context.Context, session *concurrency.Session, db *firestore.Client, doc *firestore.DocumentRef, body string, preconditions []firestore.Precondition) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return db.RunTransaction(ctx, func(ctx context.Context, tx *firestore.Transaction) error {
		snap, err := tx.Get(doc)
		if err != nil {
			return err
		}
		last, err := snap.DataAt("token")
		if err != nil {
			return err
		}
		if last.(int64) >= token {
			return errors.New("refused")
		}
		_, err = doc.Set(ctx, map[string]any{"body": body, "token": token})
		return err
	})
}
