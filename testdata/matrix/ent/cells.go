// ent: the builder before Save.
package ent

import (
	"context"
	"crypto/rand"
	stdsql "database/sql"
	"errors"
	"time"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql"
	"go.etcd.io/etcd/client/v3/concurrency"

	"example.org/matrix/ent/store"
	"example.org/matrix/ent/store/document"
	"example.org/matrix/ent/store/predicate"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := client.Document.Update().Where(document.ID(1), document.TokenLT(token)).SetBody(body).SetToken(token).Save(ctx)
	return affected(n, err)
}

// cell: owner
func OwnerFenced(ctx context.Context, client *store.Client, body, holder string) error {
	n, err := client.Document.Update().Where(document.Name("lease"), document.ExpiresAtLT(time.Now())).SetHolder(holder).SetExpiresAt(time.Now().Add(time.Minute)).Save(ctx)
	if err := affected(n, err); err != nil {
		return err
	}
	n, err = client.Document.Update().Where(document.Name("lease"), document.Holder(holder)).SetBody(body).Save(ctx)
	return affected(n, err)
}

// cell: version
func Version(ctx context.Context, session *concurrency.Session, client *store.Client, body string, version int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	n, err := client.Document.Update().Where(document.ID(1), document.Version(version)).SetBody(body).AddVersion(1).Save(ctx)
	return affected(n, err)
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return client.Document.UpdateOneID(1).SetBody(body).Exec(ctx)
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := client.Document.Update().Where(document.ID(1), document.TokenGT(token)).SetBody(body).SetToken(token).Save(ctx)
	return affected(n, err)
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	n, err := client.Document.Update().Where(document.ID(1), document.HolderLT(id)).SetBody(body).SetHolder(id).Save(ctx)
	return affected(n, err)
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := client.Document.Update().Where(document.ID(1), document.TokenLT(token)).SetBody(body).Save(ctx)
	return affected(n, err)
}

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	doc, err := client.Document.Get(ctx, 1)
	if err != nil {
		return err
	}
	if doc.Token >= token {
		return errors.New("refused")
	}
	return client.Document.UpdateOne(doc).SetBody(body).SetToken(token).Exec(ctx)
}

// cell: token, result dropped
func Dropped(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return client.Document.Update().Where(document.ID(1), document.TokenLT(token)).SetBody(body).SetToken(token).Exec(ctx)
}

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, client *store.Client, body string, condition predicate.Document) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := client.Document.Update().Where(condition).SetBody(body).SetToken(token).Save(ctx)
	return affected(n, err)
}

// cell: token
func OfOne(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	err := client.Document.UpdateOneID(1).Where(document.TokenLT(token)).SetBody(body).SetToken(token).Exec(ctx)
	if store.IsNotFound(err) {
		return errors.New("refused")
	}
	return err
}

// cell: token
func AllOf(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := client.Document.Update().Where(document.And(document.ID(1), document.TokenLT(token))).SetBody(body).SetToken(token).Save(ctx)
	return affected(n, err)
}

// cell: none, weakcondition
func EitherWay(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := client.Document.Update().Where(document.Or(document.ID(1), document.TokenLT(token))).SetBody(body).SetToken(token).Save(ctx)
	return affected(n, err)
}

// cell: token
func ByField(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := client.Document.Update().Where(document.ID(1), sql.FieldLT(document.FieldToken, token)).SetBody(body).SetToken(token).Save(ctx)
	return affected(n, err)
}

// cell: token
func InSteps(ctx context.Context, session *concurrency.Session, client *store.Client, body *string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	update := client.Document.Update().Where(document.ID(1))
	update.Where(document.TokenLT(token))
	update.SetToken(token)
	if body != nil {
		update.SetBody(*body)
	}
	n, err := update.Save(ctx)
	return affected(n, err)
}

// cell: unknown
func InStepsPerhaps(ctx context.Context, session *concurrency.Session, client *store.Client, strict bool, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	update := client.Document.Update().Where(document.ID(1)).SetBody(body).SetToken(token)
	if strict {
		update.Where(document.TokenLT(token))
	}
	n, err := update.Save(ctx)
	return affected(n, err)
}

// cell: token
func Modified(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	n, err := client.Document.Update().Where(document.ID(1)).SetBody(body).SetToken(token).Modify(func(u *sql.UpdateBuilder) {
		u.Where(sql.LT(document.FieldToken, token))
	}).Save(ctx)
	return affected(n, err)
}

// cell: token
func Upserted(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	id, err := client.Document.Create().SetName("doc").SetBody(body).SetToken(token).
		OnConflict(sql.ConflictColumns(document.FieldName), sql.UpdateWhere(sql.LT(document.FieldToken, token))).
		UpdateNewValues().ID(ctx)
	return affected(id, err)
}

// cell: none, weakcondition
func UpsertedInPart(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	id, err := client.Document.Create().SetName("doc").SetBody(body).SetToken(token).
		OnConflict(sql.ConflictColumns(document.FieldName), sql.UpdateWhere(sql.LT(document.FieldToken, token))).
		UpdateBody().ID(ctx)
	return affected(id, err)
}

// cell: none
func UpsertedInAnyCase(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return client.Document.Create().SetName("doc").SetBody(body).OnConflictColumns(document.FieldName).UpdateNewValues().Exec(ctx)
}

// cell: unique
func InsertedOnce(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id, err := client.Document.Create().SetName("doc").SetBody(body).OnConflictColumns(document.FieldName).DoNothing().ID(ctx)
	return affected(id, err)
}

// cell: token
func InTransaction(ctx context.Context, session *concurrency.Session, client *store.Client, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	tx, err := client.Tx(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	doc, err := tx.Document.Query().Where(document.ID(1)).ForUpdate().Only(ctx)
	if err != nil {
		return err
	}
	if doc.Token >= token {
		return errors.New("refused")
	}
	if err := tx.Document.UpdateOne(doc).SetBody(body).SetToken(token).Exec(ctx); err != nil {
		return err
	}
	return tx.Commit()
}

// cell: token
func ByHand(ctx context.Context, session *concurrency.Session, driver dialect.Driver, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	text, args := sql.Dialect(dialect.Postgres).Update("doc").Set("body", body).Set("token", token).
		Where(sql.And(sql.EQ("id", 1), sql.Or(sql.IsNull("token"), sql.LT("token", token)))).Query()
	var res stdsql.Result
	if err := driver.Exec(ctx, text, args, &res); err != nil {
		return err
	}
	n, err := res.RowsAffected()
	return affected(int(n), err)
}

// cell: none
func ByHandAlways(ctx context.Context, session *concurrency.Session, driver dialect.Driver, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	text, args := sql.Update("doc").Set("body", body).Where(sql.EQ("id", 1)).Query()
	return driver.Exec(ctx, text, args, nil)
}

func affected(n int, err error) error {
	if err == nil && n == 0 {
		err = errors.New("refused")
	}
	return err
}
