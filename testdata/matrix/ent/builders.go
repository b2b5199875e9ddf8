package ent

import (
	"context"

	"entgo.io/ent/dialect/sql"
	"example.org/matrix/ent/store"
	"example.org/matrix/ent/store/document"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func ModifiedInto(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := client.Document.Update().Where(document.ID(1)).Modify(func(u *sql.UpdateBuilder) {
		u.Where(sql.LT("token", token)).Set("token", token).Set("body", body)
	}).Save(ctx)
	return affected(n, err)
}

// cell: token
func ModifiedInSteps(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := client.Document.Update().Where(document.ID(1)).Modify(func(u *sql.UpdateBuilder) {
		u.Where(sql.LT("token", token))
		u.Set("token", token)
	}).Save(ctx)
	return affected(n, err)
}

// cell: none, weakcondition
func ModifiedLeft(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := client.Document.Update().Where(document.ID(1)).Modify(func(u *sql.UpdateBuilder) {
		u.Where(sql.LT("token", token)).Set("body", body)
	}).Save(ctx)
	return affected(n, err)
}

// cell: none, weakcondition
func ModifiedTurned(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := client.Document.Update().Where(document.ID(1)).Modify(func(u *sql.UpdateBuilder) {
		u.Where(sql.GT("token", token)).Set("token", token)
	}).Save(ctx)
	return affected(n, err)
}

// cell: unknown
func ModifiedSometimes(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := client.Document.Update().Where(document.ID(1)).Modify(func(u *sql.UpdateBuilder) {
		u.Set("token", token)
		if body != "" {
			u.Where(sql.LT("token", token))
		}
	}).Save(ctx)
	return affected(n, err)
}

// cell: token
func ZeroOrOlder(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := client.Document.Update().Where(document.ID(1), document.Or(document.Token(0), document.TokenLT(token))).SetBody(body).SetToken(token).Save(ctx)
	return affected(n, err)
}
