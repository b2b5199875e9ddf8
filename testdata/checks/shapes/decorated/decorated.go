// Package decorated adds locks to an interface by an implementation of it that has another one behind it.
package decorated

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"
)

// Labeler prints a label.
type Labeler interface {
	Label(ctx context.Context, parcel string, weigh func(string) int) error
}

type numberKey struct{}

// Printer works on the number in its context.
type Printer struct{ db *sql.DB }

func (p Printer) Label(ctx context.Context, parcel string, weigh func(string) int) error {
	number, ok := ctx.Value(numberKey{}).(int64)
	if !ok {
		return errors.New("no number")
	}
	res, err := p.db.ExecContext(ctx, "UPDATE parcels SET grams = $1, fence = $2 WHERE id = $3 AND fence < $2", weigh(parcel), number, parcel)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return errors.Join(errors.New("printed by a later holder"), err)
	}
	return nil
}

// Logged and Locked stand before a Printer, in whichever order.
type Logged struct{ Next Labeler }

func (l Logged) Label(ctx context.Context, parcel string, weigh func(string) int) error {
	err := l.Next.Label(ctx, parcel, weigh)
	slog.Info("label", "parcel", parcel, "err", err)
	return err
}

type Locked struct {
	Next Labeler
	rdb  *redis.Client
}

func (l Locked) Label(ctx context.Context, parcel string, weigh func(string) int) (err error) {
	m := &mutex{rdb: l.rdb, key: "lock:parcel:" + parcel, owner: rand.Text()}
	if err := m.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, m.Unlock(context.WithoutCancel(ctx))) }()
	return l.Next.Label(context.WithValue(ctx, numberKey{}, m.fence), parcel, weigh)
}

// New makes the labeler of a parcel shop.
func New(db *sql.DB, rdb *redis.Client, quiet bool) Labeler {
	var l Labeler = Printer{db: db}
	if !quiet {
		l = Logged{Next: l}
	}
	return Locked{Next: l, rdb: rdb}
}

var errLost = errors.New("the lock was lost")

var drop = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type mutex struct {
	rdb        *redis.Client
	key, owner string
	fence      int64
}

func (m *mutex) Lock(ctx context.Context) error {
	for {
		ok, err := m.rdb.SetNX(ctx, m.key, m.owner, 30*time.Second).Result()
		switch {
		case err != nil:
			return err
		case ok:
			if m.fence, err = m.rdb.Incr(ctx, m.key+":fence").Result(); err != nil {
				return errors.Join(err, m.Unlock(context.WithoutCancel(ctx)))
			}
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (m *mutex) Unlock(ctx context.Context) error {
	n, err := drop.Run(ctx, m.rdb, []string{m.key}, m.owner).Int()
	if err == nil && n == 0 {
		err = errLost
	}
	return err
}
