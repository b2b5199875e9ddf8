package good

import (
	"context"
	"database/sql"
	"errors"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"golang.org/x/sync/errgroup"
)

const setValue = "UPDATE setting SET value = $2, last_token = $3 WHERE name = $1 AND last_token < $3"

// setting carries the token in a field of a struct literal.
type setting struct {
	name, value string
	token       int64
}

func (s setting) save(ctx context.Context, db *sql.DB) error {
	return one(db.ExecContext(ctx, setValue, s.name, s.value, s.token))
}

func Set(ctx context.Context, session *concurrency.Session, db *sql.DB, name, value string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/setting/"+name)
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	next := &setting{name: name, value: value, token: mutex.Header().Revision}
	return next.save(ctx, db)
}

// guard is a handle with the token in a field; its constructor takes the lock.
type guard struct {
	session *concurrency.Session
	mutex   *concurrency.Mutex
	token   uint64
}

func hold(ctx context.Context, cli *clientv3.Client, key string) (*guard, error) {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(15))
	if err != nil {
		return nil, err
	}
	mutex := concurrency.NewMutex(session, key)
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		err := mutex.TryLock(ctx)
		if err == nil {
			return &guard{session: session, mutex: mutex, token: uint64(mutex.Header().Revision)}, nil
		}
		if !errors.Is(err, concurrency.ErrLocked) || wait > time.Second {
			return nil, errors.Join(err, session.Close())
		}
		time.Sleep(wait)
	}
}

func (g *guard) Token() uint64 { return g.token }

func (g *guard) Release(ctx context.Context) error {
	return errors.Join(g.mutex.Unlock(context.WithoutCancel(ctx)), g.session.Close())
}

func Reset(ctx context.Context, cli *clientv3.Client, db *sql.DB, name string) (err error) {
	g, err := hold(ctx, cli, "/locks/reset/"+name) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Release(ctx)) }()
	return one(db.ExecContext(ctx, setValue, name, "", int64(g.Token())))
}

// tokenKey is the key of the token in a context.
type tokenKey struct{}

func lockInto(ctx context.Context, session *concurrency.Session, key string) (context.Context, func() error, error) {
	mutex := concurrency.NewMutex(session, key)
	if err := mutex.Lock(ctx); err != nil {
		return nil, nil, err
	}
	unlock := func() error { return mutex.Unlock(context.WithoutCancel(ctx)) }
	return context.WithValue(ctx, tokenKey{}, mutex.Header().Revision), unlock, nil
}

// Toggle: the token travels in the context.
func Toggle(ctx context.Context, session *concurrency.Session, db *sql.DB, name, value string) (err error) {
	ctx, unlock, err := lockInto(ctx, session, "/locks/toggle/"+name) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return toggle(ctx, db, name, value)
}

func toggle(ctx context.Context, db *sql.DB, name, value string) error {
	token, ok := ctx.Value(tokenKey{}).(int64)
	if !ok {
		return errors.New("no lock is held")
	}
	return one(db.ExecContext(ctx, setValue, name, value, token))
}

// Both: the token is captured by goroutines that the section waits for.
func Both(ctx context.Context, session *concurrency.Session, db *sql.DB, value string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/both")
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	token := mutex.Header().Revision
	g, ctx := errgroup.WithContext(ctx)
	for _, name := range []string{"left", "right"} {
		g.Go(func() error { return one(db.ExecContext(ctx, setValue, name, value, token)) })
	}
	return g.Wait()
}

// compute is a generic wrapper; the result of fn and the token are of any type.
func compute[T any](ctx context.Context, session *concurrency.Session, key string, fn func(token int64) (T, error)) (v T, err error) {
	mutex := concurrency.NewMutex(session, key)
	if err := mutex.Lock(ctx); err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	return fn(mutex.Header().Revision)
}

func Clear(ctx context.Context, session *concurrency.Session, db *sql.DB, name string) (old string, err error) {
	return compute(ctx, session, "/locks/clear/"+name, func(token int64) (string, error) { // verdict: fenced
		var old string
		if err := db.QueryRowContext(ctx, "SELECT value FROM setting WHERE name = $1", name).Scan(&old); err != nil {
			return "", err
		}
		return old, one(db.ExecContext(ctx, setValue, name, "", token))
	})
}
