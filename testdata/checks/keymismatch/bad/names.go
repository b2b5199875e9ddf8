package bad

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/gomodule/redigo/redis"

	"example.org/locks/checks/keymismatch/names"
)

// Passing locks by a package whose Unlock works on another key.
func Passing(ctx context.Context, gate names.Gate, id string, job Job) (err error) {
	owner := rand.Text()
	if err := gate.Lock(ctx, "passing/"+id, owner, time.Minute); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, gate.Unlock(context.WithoutCancel(ctx), "passing/"+id, owner)) }()
	return job.Run(ctx)
}

var leave = redis.NewScript(1, `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// lockWord returns a function that unlocks something else.
func lockWord(c redis.Conn, word, owner string) (func() error, error) {
	_, err := redis.String(c.Do("SET", "word:"+word, owner, "NX", "PX", 30000))
	if err != nil {
		return nil, err
	}
	return func() error {
		_, err := leave.Do(c, word, owner) // want: keymismatch
		return err
	}, nil
}

// Words unlocks by it.
func Words(ctx context.Context, c redis.Conn, word, owner string, job Job) (err error) {
	unlock, err := lockWord(c, word, owner) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return job.Run(ctx)
}
