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
