// Spanner: the text of DML, and what a transaction reads.
package spanner

import (
	"context"
	"crypto/rand"
	"errors"

	"cloud.google.com/go/spanner"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, db *spanner.Client, body, holder string, version int64, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return dml(ctx, db, spanner.Statement{
		SQL:    "UPDATE doc SET body = @body, last_token = @last_token WHERE id = 1 AND last_token < @last_token",
		Params: map[string]any{"body": body, "last_token": token},
	})
}

// cell: owner
func OwnerFenced(ctx context.Context, db *spanner.Client, body, holder string, version int64, text string) error {
	err := dml(ctx, db, spanner.Statement{
		SQL:    "UPDATE lease SET holder = @holder, expires = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 1 MINUTE) WHERE name = 'doc' AND expires < CURRENT_TIMESTAMP()",
		Params: map[string]any{"holder": holder},
	})
	if err != nil {
		return err
	}
	return dml(ctx, db, spanner.Statement{
		SQL:    "UPDATE lease SET result = @body WHERE name = 'doc' AND holder = @holder",
		Params: map[string]any{"body": body, "holder": holder},
	})
}

// cell: version
func Version(ctx context.Context, session *concurrency.Session, db *spanner.Client, body, holder string, version int64, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return dml(ctx, db, spanner.Statement{
		SQL:    "UPDATE doc SET body = @body, version = version + 1 WHERE id = 1 AND version = @version",
		Params: map[string]any{"body": body, "version": version},
	})
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, db *spanner.Client, body, holder string, version int64, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := db.Apply(ctx, []*spanner.Mutation{spanner.Update("doc", []string{"id", "body"}, []any{1, body})})
	return err
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, db *spanner.Client, body, holder string, version int64, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return dml(ctx, db, spanner.Statement{
		SQL:    "UPDATE doc SET body = @body, last_token = @last_token WHERE id = 1 AND last_token > @last_token",
		Params: map[string]any{"body": body, "last_token": token},
	})
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, db *spanner.Client, body, holder string, version int64, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	return dml(ctx, db, spanner.Statement{
		SQL:    "UPDATE doc SET body = @body, last_token = @last_token WHERE id = 1 AND last_token < @last_token",
		Params: map[string]any{"body": body, "last_token": id},
	})
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, db *spanner.Client, body, holder string, version int64, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return dml(ctx, db, spanner.Statement{
		SQL:    "UPDATE doc SET body = @body WHERE id = 1 AND last_token < @last_token",
		Params: map[string]any{"body": body, "last_token": token},
	})
}

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, db *spanner.Client, body, holder string, version int64, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	row, err := db.Single().ReadRow(ctx, "doc", spanner.Key{1}, []string{"token"})
	if err != nil {
		return err
	}
	var last int64
	if err := row.Column(0, &last); err != nil {
		return err
	}
	if last >= token {
		return errors.New("refused")
	}
	_, err = db.Apply(ctx, []*spanner.Mutation{spanner.Update("doc", []string{"id", "body", "token"}, []any{1, body, token})})
	return err
}

// cell: token, result dropped
func Dropped(ctx context.Context, session *concurrency.Session, db *spanner.Client, body, holder string, version int64, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := db.ReadWriteTransaction(ctx, func(ctx context.Context, tx *spanner.ReadWriteTransaction) error {
		_, err := tx.Update(ctx, spanner.Statement{
			SQL:    "UPDATE doc SET body = @body, token = @token WHERE id = 1 AND token < @token",
			Params: map[string]any{"body": body, "token": token},
		})
		return err
	})
	return err
}

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, db *spanner.Client, body, holder string, version int64, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return dml(ctx, db, spanner.Statement{SQL: text, Params: map[string]any{"body": body, "token": token}})
}

// cell: token
func ReadAndWritten(ctx context.Context, session *concurrency.Session, db *spanner.Client, body, holder string, version int64, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := db.ReadWriteTransaction(ctx, func(ctx context.Context, tx *spanner.ReadWriteTransaction) error {
		row, err := tx.ReadRow(ctx, "doc", spanner.Key{1}, []string{"token"})
		if err != nil {
			return err
		}
		var last int64
		if err := row.Column(0, &last); err != nil {
			return err
		}
		if last >= token {
			return errors.New("refused")
		}
		return tx.BufferWrite([]*spanner.Mutation{spanner.Update("doc", []string{"id", "body", "token"}, []any{1, body, token})})
	})
	return err
}

// cell: none, weakcondition
func ReadAndWrittenWrongWay(ctx context.Context, session *concurrency.Session, db *spanner.Client, body, holder string, version int64, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := db.ReadWriteTransaction(ctx, func(ctx context.Context, tx *spanner.ReadWriteTransaction) error {
		row, err := tx.ReadRow(ctx, "doc", spanner.Key{1}, []string{"token"})
		if err != nil {
			return err
		}
		var last int64
		if err := row.Column(0, &last); err != nil {
			return err
		}
		if last <= token {
			return errors.New("refused")
		}
		return tx.BufferWrite([]*spanner.Mutation{spanner.Update("doc", []string{"id", "body", "token"}, []any{1, body, token})})
	})
	return err
}

// cell: none, weakcondition
func ReadAndNotStored(ctx context.Context, session *concurrency.Session, db *spanner.Client, body, holder string, version int64, text string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := db.ReadWriteTransaction(ctx, func(ctx context.Context, tx *spanner.ReadWriteTransaction) error {
		row, err := tx.ReadRow(ctx, "doc", spanner.Key{1}, []string{"token"})
		if err != nil {
			return err
		}
		var last int64
		if err := row.Column(0, &last); err != nil {
			return err
		}
		if last >= token {
			return errors.New("refused")
		}
		return tx.BufferWrite([]*spanner.Mutation{spanner.Update("doc", []string{"id", "body"}, []any{1, body})})
	})
	return err
}

func dml(ctx context.Context, db *spanner.Client, s spanner.Statement) error {
	_, err := db.ReadWriteTransaction(ctx, func(ctx context.Context, tx *spanner.ReadWriteTransaction) error {
		n, err := tx.Update(ctx, s)
		if err == nil && n == 0 {
			err = errors.New("refused")
		}
		return err
	})
	return err
}
