package good

import (
	"context"
	"database/sql"
	"errors"
	"reflect"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// handlers are told apart by what they take.
var handlers = map[reflect.Type]any{}

func dispatch(ctx context.Context, message any) error {
	out := reflect.ValueOf(handlers[reflect.TypeOf(message)]).Call([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(message)})
	err, _ := out[0].Interface().(error)
	return err
}

type moved struct{ person, city string }

func move(ctx context.Context, db *sql.DB, person, city string, token int64) error {
	res, err := db.ExecContext(ctx, "UPDATE person SET city = $2, last_token = $3 WHERE id = $1 AND last_token < $3", person, city, token)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return errStale
}

// Move writes under its token, and tells whoever is registered: what that one writes is
// not in view.
func Move(ctx context.Context, session *concurrency.Session, db *sql.DB, person, city string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/city/"+person)
	if err := mutex.Lock(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	if err := move(ctx, db, person, city, mutex.Header().Revision); err != nil {
		return err
	}
	return dispatch(ctx, moved{person, city})
}

// Tell only tells, under the lock.
func Tell(ctx context.Context, session *concurrency.Session, person, city string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/city/"+person)
	if err := mutex.Lock(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	return dispatch(ctx, moved{person, city})
}

// Spell asks a value how it is spelled: a method that is given nothing computes something.
func Spell(ctx context.Context, session *concurrency.Session, db *sql.DB, person string, city any) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/city/"+person)
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	name := reflect.ValueOf(city).MethodByName("String").Call(nil)[0].String()
	return move(ctx, db, person, name, mutex.Header().Revision)
}
