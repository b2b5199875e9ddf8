package bad

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/gomodule/redigo/redis"
	goredis "github.com/redis/go-redis/v9"
)

// A shelf is the program's own client: any command may be told to it.
type shelf struct{ pool *redis.Pool }

func (s *shelf) exec(ctx context.Context, cmd string, args ...any) (any, error) {
	conn, err := s.pool.GetContext(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return redis.DoContext(conn, ctx, cmd, args...)
}

func (s *shelf) putNew(ctx context.Context, key, value string, ttl time.Duration) (bool, error) {
	_, err := redis.String(s.exec(ctx, "SET", key, value, "NX", "PX", ttl.Milliseconds()))
	if errors.Is(err, redis.ErrNil) {
		return false, nil
	}
	return err == nil, err
}

func (s *shelf) fetch(ctx context.Context, key string) (string, error) {
	return redis.String(s.exec(ctx, "GET", key))
}

func (s *shelf) drop(ctx context.Context, key string) error {
	_, err := s.exec(ctx, "DEL", key)
	return err
}

// CraneLock is held.
type CraneLock struct {
	s     *shelf
	name  string
	value string
}

var errBusyCrane = errors.New("crane is busy")

// LockCrane takes a crane.
func LockCrane(ctx context.Context, s *shelf, crane string) (*CraneLock, error) {
	l := &CraneLock{s: s, name: "lock:crane:" + crane, value: rand.Text()}
	ok, err := s.putNew(ctx, l.name, l.value, time.Minute)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errBusyCrane
	}
	return l, nil
}

// Unlock compares, and deletes afterwards.
func (l *CraneLock) Unlock(ctx context.Context) error {
	if got, err := l.s.fetch(ctx, l.name); err != nil || got != l.value {
		return errors.Join(err, errBusyCrane)
	}
	return l.s.drop(ctx, l.name) // want: release
}

// Lift has the crane for itself.
func Lift(ctx context.Context, s *shelf, crane string, job Job) (err error) {
	l, err := LockCrane(ctx, s, crane) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Unlock(context.WithoutCancel(ctx))) }()
	return job.Run(ctx)
}

// A wire sends what it is told by another library.
type wire struct{ rdb *goredis.Client }

func (w *wire) send(ctx context.Context, args ...any) *goredis.Cmd { return w.rdb.Do(ctx, args...) }

// Winch has its key in every command.
func Winch(ctx context.Context, w *wire, job Job) error {
	err := w.send(ctx, "SET", "lock:winch", rand.Text(), "NX", "EX", 30).Err() // verdict: unverified
	if errors.Is(err, goredis.Nil) {
		return errBusyCrane
	}
	if err != nil {
		return err
	}
	defer w.send(context.WithoutCancel(ctx), "DEL", "lock:winch") // want: release
	return job.Run(ctx)
}
