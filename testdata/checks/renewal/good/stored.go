package good

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

const tide = 45 * time.Second

var ebb = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Beside writes what it does under a key of its own, again and again.
func Beside(ctx context.Context, rdb *redis.Client, harbour, me string, work func(context.Context) error) error {
	key := "harbour:" + harbour
	ok, err := rdb.SetNX(ctx, key, me, tide).Result() // verdict: unfenced
	if err != nil || !ok {
		return errors.Join(errors.New("the harbour is taken"), err)
	}
	defer ebb.Run(context.WithoutCancel(ctx), rdb, []string{key}, me)
	held, cancel := context.WithTimeout(ctx, tide/2)
	defer cancel()
	go func() {
		for held.Err() == nil {
			time.Sleep(time.Second)
			if err := rdb.Set(held, "seen:"+me, time.Now().Unix(), tide).Err(); err != nil { // want: unfenced
				return
			}
		}
	}()
	return work(held)
}

// Answered keeps answers of a service under keys that are set first by whoever asks.
type Answered struct{ rdb *redis.Client }

func (a *Answered) Ask(ctx context.Context, q string, answer func(string) (string, error)) (string, error) {
	for {
		text, err := answer(q)
		if err != nil {
			return "", err
		}
		if err := a.rdb.Set(ctx, "answer:"+q, text, tide).Err(); err != nil {
			return "", err
		}
		if first, err := a.rdb.SetNX(ctx, "answer:"+q, text, tide).Result(); err != nil || first {
			return text, err
		}
	}
}

// Quay hands the key to those who do something with it again and again.
type Quay struct{ rdb *redis.Client }

// Moor names the owner when it renews.
func (q *Quay) Moor(ctx context.Context, boat, me string, work func(context.Context) error) error {
	key := "mooring:" + boat
	ok, err := q.rdb.SetNX(ctx, key, me, tide).Result()
	if err != nil || !ok {
		return errors.Join(errors.New("moored elsewhere"), err)
	}
	defer ebb.Run(context.WithoutCancel(ctx), q.rdb, []string{key}, me)
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() {
		if err := q.hold(held, key, me); err != nil {
			lost(err)
		}
	}()
	return work(held)
}

var stay = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`)

// hold marks, beside the lock, under which key the boat was seen last.
func (q *Quay) hold(ctx context.Context, key, me string) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(tide / 5):
		}
		n, err := stay.Run(ctx, q.rdb, []string{key}, me, tide.Milliseconds()).Int()
		if err != nil {
			return err
		}
		if n == 0 {
			return errors.New("the mooring is lost")
		}
		if err := q.touch(ctx, "seen:"+me); err != nil {
			return err
		}
	}
}

// touch keeps a key for some more time, of whomever it is.
func (q *Quay) touch(ctx context.Context, key string) error {
	return q.rdb.Expire(ctx, key, 2*tide).Err()
}
